/** The role that a route of the operator asks for. */
export const VIEWS = "operator" as const
export const ACTS = "operator" as const
