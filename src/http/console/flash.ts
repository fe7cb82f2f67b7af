import type { FastifyReply, FastifyRequest } from "fastify"
import * as z from "zod"
import { cookieOf, setCookie } from "#src/http/server/operatorCookie.ts"

/** What the last action did, shown once on the next page. */
export interface Flash {
  readonly tone: "good" | "warn" | "bad"
  readonly text: string
  /** What to do about it. */
  readonly fix?: string | undefined
}

const COOKIE = { name: "troupe-console-flash", sameSite: "strict" } as const
const SECONDS = 60
const MAX_CHARACTERS = 600
const Stored = z.object({ tone: z.enum(["good", "warn", "bad"]), text: z.string(), fix: z.string().optional() })

const parse = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8"))
  } catch {
    return null
  }
}

/**
 * A cookie, and not a part of the URL: a link must not be able to put words on this page. Over https, no other host can
 * plant it, either.
 */
export const leaveFlash = (reply: FastifyReply, baseUrl: string, { tone, text, fix }: Flash): void => {
  const kept = { tone, text: text.slice(0, MAX_CHARACTERS), fix: fix?.slice(0, MAX_CHARACTERS) }
  const value = Buffer.from(JSON.stringify(kept)).toString("base64url")
  void setCookie(reply, baseUrl, { ...COOKIE, value, seconds: SECONDS })
}

export const takeFlash = (request: FastifyRequest, reply: FastifyReply, baseUrl: string): Flash | null => {
  const text = cookieOf(request, baseUrl, COOKIE.name)
  if (text === undefined) return null
  void setCookie(reply, baseUrl, { ...COOKIE, value: null, seconds: 0 })
  return Stored.safeParse(parse(text)).data ?? null
}
