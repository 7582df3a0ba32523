import type { Item } from "../data/app";

/** One record of an entity; its fields are those of the data. */
export type Entry = Record<string, unknown>;

/** The entries of one entity, kept in the browser. */
export interface Entries {
  all(): Entry[];
}

/** What the shared script offers to every page. */
export interface Runtime {
  /** The items that the app starts with, by id. */
  items: Record<string, Item>;
  list: Item[];
  /** Reads what the browser keeps under a key of this app. */
  load<T>(key: string, fallback: T): T;
  /** Keeps a value, and tells of it by the event `app:change`. */
  save<T>(key: string, value: T): T;
  /** Listens for an event on all elements that match now or later. */
  on(selector: string, event: string, handler: (happened: Event, target: Element) => void): void;
  $(selector: string, within?: ParentNode): Element | null;
  $$(selector: string, within?: ParentNode): Element[];
  escape(text: string): string;
  render(element: string | Element, html: string): Element | null;
  money(amount: number): string;
  /** Shows a short message that goes away by itself. */
  toast(text: string): void;
  /** The item that the address names, else the first one. */
  current(): Item;
  mode(mode?: "light" | "dark"): string;
  records(entity: string): Entries;
}

declare global {
  interface Window {
    App: Runtime;
  }
}
