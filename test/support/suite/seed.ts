import * as fc from "fast-check"

/** `npm test` tries the same inputs in every run, and `npm run soak` others. fast-check prints the seed of a failure. */
if (process.env["SOAK"] === undefined) fc.configureGlobal({ seed: 20_261_128 })
