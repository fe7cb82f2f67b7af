/** The role that a route of the operator asks for: a viewer sees, an operator acts. */
export const VIEWS = { operator: "viewer" } as const
export const ACTS = { operator: "operator" } as const
