/**
 * Loaded with the first picture: it would take a tenth of a second from every start. Without its cache, which keeps
 * pictures unpacked, hundreds of megabytes of them.
 */
export const loadSharp = async () => {
  const { default: sharp } = await import("sharp")
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}
