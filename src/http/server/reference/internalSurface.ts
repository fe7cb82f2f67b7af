import * as z from "zod"

/**
 * Options of every route that API clients do not call. It is in the OpenAPI document (contract 4.10), but its tag is
 * not in the runtime reference at /docs.
 */
export const INTERNAL = { tags: ["Internal"], "x-internal": true }

/** The answer of a page: HTML with any status, or a redirect to the next page. */
export const PAGE = {
  default: {
    description: "An HTML page, or a redirect to the next page",
    content: { "text/html": { schema: z.string() } }
  }
}
