import data from "./app.json";

/** The data that the app starts with. */
export type AppData = typeof data;

/** One thing that the app shows. */
export type Item = AppData extends { items: (infer One)[] } ? One : never;

export default data;
