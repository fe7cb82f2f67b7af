/**
 * What a demo key may do is a route's `demo: true`; every other is closed to it, one that comes later too, and that is
 * said before anything else. Paths of a closed kind are known here, so that one that no route has is answered like one
 * that a route has.
 */
const CLOSED =
  /^\/v1\/(?:account|apps|images|evals|telegram\/batches)(?:\/|$)|\/(?:api-keys|assets|caps|channels|evidence|probe|research|visual-identity)(?:\/|$)/

/** Whether a path that no route has is of a kind that is closed to demo keys. */
export const isClosedToDemo = (url: string): boolean => CLOSED.test(url.split("?", 1)[0] ?? "")
