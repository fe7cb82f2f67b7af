/** Whether this is `npm run soak`, which takes hours of processor time if need be. */
export const isSoak = process.env["SOAK"] !== undefined

/** The size of something that takes long: small in `npm test`, full in `npm run soak`. */
export const sized = (small: number, full: number): number => (isSoak ? full : small)
