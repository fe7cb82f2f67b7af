/**
 * Loaded with the first picture, because loading takes a tenth of a second. Its cache is disabled, because it would
 * keep hundreds of megabytes of decoded pictures.
 */
export const loadSharp = async () => {
  const { default: sharp } = await import("sharp")
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}
