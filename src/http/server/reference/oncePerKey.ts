/** A function that computes once for each key, and again after a failure. */
export const oncePerKey = <A>(): ((key: string, compute: () => Promise<A>) => Promise<A>) => {
  const computed = new Map<string, Promise<A>>()
  return (key, compute) => {
    const value =
      computed.get(key) ??
      compute().catch((thrown: unknown) => {
        computed.delete(key)
        throw thrown
      })
    computed.set(key, value)
    return value
  }
}
