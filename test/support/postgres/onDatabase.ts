/** The same server with another database. */
export const onDatabase = (url: string, name: string): string => {
  const at = new URL(url)
  at.pathname = `/${name}`
  return at.href
}
