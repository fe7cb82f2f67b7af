import * as fc from "fast-check"

/** The same inputs in every `npm test`, and others in `npm run soak`. fast-check prints the seed of a failure. */
if (process.env["SOAK"] === undefined) fc.configureGlobal({ seed: 20_261_128 })
