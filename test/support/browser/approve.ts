/** A minimal browser for approving: cookies by path, redirects, links and forms. */
export const browse = () => {
  const cookies = new Map<string, { readonly value: string; readonly path: string }>()
  const open = async (
    url: string,
    form?: Record<string, string>
  ): Promise<{ readonly url: string; readonly text: string }> => {
    const { pathname } = new URL(url)
    const cookie = [...cookies]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join("; ")
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(form !== undefined && { method: "POST", body: new URLSearchParams(form) })
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, { value, path: /path=([^;]+)/i.exec(line)?.[1] ?? "/" })
    }
    const location = response.headers.get("location")
    return location === null ? { url, text: await response.text() } : open(new URL(location, url).href)
  }
  return open
}

/** The latest development sign-in code on a server's console. */
export const signInCode = (stdout: string): string =>
  stdout
    .match(/sign-in code [A-Z]{5}-[A-Z]{5}/g)
    ?.at(-1)
    ?.slice(-11) ?? "no code was printed"

/**
 * Approves the request of a verification_uri_complete, like a person who signs in with the code from the server's
 * console.
 */
export const approve = async (
  uri: string,
  console: { readonly stdout: () => string },
  name = "developer"
): Promise<void> => {
  const open = browse()
  const { origin, searchParams } = new URL(uri)
  const welcome = await open(`${origin}/device`, { user_code: searchParams.get("user_code") ?? "" })
  if (!welcome.text.includes("/device/sign-in")) throw new Error(`no sign-in is offered: ${welcome.text}`)
  const signIn = await open(`${origin}/device/sign-in`)
  const asked = await open(signIn.url, { name, code: signInCode(console.stdout()) })
  const csrf = /name="csrf" value="([^"]+)"/.exec(asked.text)?.[1]
  if (csrf === undefined) throw new Error(`nothing to approve: ${asked.text}`)
  const { text } = await open(`${origin}/device/decision`, { csrf, decision: "approved" })
  if (!text.includes("<h1>Approved</h1>")) throw new Error(`not approved: ${text}`)
}
