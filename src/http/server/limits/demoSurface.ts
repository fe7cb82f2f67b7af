/**
 * Demo keys may only use routes with `demo: true`. All other routes, including later ones, are closed to them, and that
 * error comes before any other. Closed path prefixes are listed here, so that an unknown path gets the same answer as
 * an existing closed one.
 */
const CLOSED =
  /^\/v1\/(?:account|apps|images|evals|telegram\/batches)(?:\/|$)|\/(?:api-keys|assets|caps|channels|evidence|probe|research|visual-identity)(?:\/|$)/

/** Whether an unknown path is under a prefix that is closed to demo keys. */
export const isClosedToDemo = (url: string): boolean => CLOSED.test(url.split("?", 1)[0] ?? "")
