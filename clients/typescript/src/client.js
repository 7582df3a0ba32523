export { ApiError, Client } from "./implementation.js";
