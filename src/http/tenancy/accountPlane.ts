/**
 * Options of every account route. It is in the OpenAPI document, but its tag is not in the runtime reference at /docs
 * (contract 4.3).
 */
export const ACCOUNT_PLANE = { tags: ["Account"] }
