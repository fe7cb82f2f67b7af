/**
 * Where a t.me link leads on this phone, as a fragment of the page's address; undefined when it leads elsewhere.
 * t.me/<bot>?start=<payload> opens a chat, t.me/newbot/<manager>/<username>?name=<name> the dialog for a new bot.
 */
export const routeOf = (text) => {
  const link = text
    .trim()
    .replace(/^(?:https?:\/\/)?(?:t\.me|telegram\.me)\//i, "https://t.me/")
    .replace(/^@/, "https://t.me/")
  if (!URL.canParse(link)) return undefined
  const url = new URL(link)
  if (url.host !== "t.me") return undefined
  const [first, second, third] = url.pathname.split("/").filter((part) => part !== "")
  if (first === undefined) return undefined
  if (first.toLowerCase() === "newbot") return `#/newbot/${second ?? ""}/${third ?? ""}${url.search}`
  return `#/open/${first}${url.search}`
}
