@imports@
import type { Runtime } from "./types";

/** What all pages share; the parts above have filled it. */
export const App: Runtime = window.App;
