/**
 * What every route of the account plane says of itself. It is in the OpenAPI document, and not in the runtime reference
 * at /docs (contract 4.3).
 */
export const ACCOUNT_PLANE = { tags: ["Account"], "x-scalar-ignore": true }
