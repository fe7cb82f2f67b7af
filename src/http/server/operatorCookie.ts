import cookie from "@fastify/cookie"
import type { FastifyReply, FastifyRequest } from "fastify"

/**
 * Whether the browser reached this server over https: a trusted proxy says so, or it asked for the host of an https
 * PUBLIC_URL, whose proxy may not say so. On a LAN, the same server may also be reached over plain http.
 */
const isHttps = (request: FastifyRequest, baseUrl: string): boolean => {
  const own = new URL(baseUrl)
  return request.protocol === "https" || (own.protocol === "https:" && request.host === own.host)
}

/** A browser stores `__Host-` cookies only over https and only for this host, so no other host can plant one. */
const nameOf = (isSecure: boolean, name: string) => (isSecure ? `__Host-${name}` : name)

const SESSION = "troupe-operator"

/** The value of a cookie under the name that fits how the browser reached this server. */
export const cookieOf = (request: FastifyRequest, baseUrl: string, name: string): string | undefined =>
  cookie.fastifyCookie.parse(request.headers.cookie ?? "")[nameOf(isHttps(request, baseUrl), name)]

/** The cookie of an operator's session, if there is one. */
export const operatorCookieOf = (request: FastifyRequest, baseUrl: string) => cookieOf(request, baseUrl, SESSION)

/**
 * Sets a cookie, or removes it where `value` is null. `sameSite` lax: it is also sent with the redirect back from
 * another site.
 */
export const setCookie = (
  reply: FastifyReply,
  baseUrl: string,
  {
    name,
    value,
    sameSite,
    seconds
  }: {
    readonly name: string
    readonly value: string | null
    readonly sameSite: "strict" | "lax"
    readonly seconds: number
  }
) => {
  const secure = isHttps(reply.request, baseUrl)
  const options = { httpOnly: true, sameSite, secure, path: "/", maxAge: value === null ? 0 : seconds } as const
  return reply.header("set-cookie", cookie.fastifyCookie.serialize(nameOf(secure, name), value ?? "", options))
}

/** Gives a browser the cookie of a session, or takes it away. */
export const setOperatorCookie = (reply: FastifyReply, baseUrl: string, value: string | null, seconds: number) =>
  setCookie(reply, baseUrl, { name: SESSION, value, sameSite: "strict", seconds })
