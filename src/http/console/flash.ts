import type { FastifyReply, FastifyRequest } from "fastify"
import * as z from "zod"

/** What the last action did, shown once on the next page. */
export interface Flash {
  readonly tone: "good" | "warn" | "bad"
  readonly text: string
  /** What to do about it. */
  readonly fix?: string | undefined
}

const COOKIE = "troupe-console-flash"
const MAX_CHARACTERS = 600
const Stored = z.object({ tone: z.enum(["good", "warn", "bad"]), text: z.string(), fix: z.string().optional() })
const options = { httpOnly: true, sameSite: "strict", path: "/console" } as const

const parse = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8"))
  } catch {
    return null
  }
}

/** A cookie, and not a part of the URL: a link must not be able to put words on this page. */
export const leaveFlash = (reply: FastifyReply, { tone, text, fix }: Flash): void => {
  const kept = { tone, text: text.slice(0, MAX_CHARACTERS), fix: fix?.slice(0, MAX_CHARACTERS) }
  void reply.setCookie(COOKIE, Buffer.from(JSON.stringify(kept)).toString("base64url"), { ...options, maxAge: 60 })
}

export const takeFlash = (request: FastifyRequest, reply: FastifyReply): Flash | null => {
  // A request that was refused before its cookies were read has none.
  const text = (request.cookies as FastifyRequest["cookies"] | undefined)?.[COOKIE]
  if (text === undefined) return null
  void reply.clearCookie(COOKIE, options)
  return Stored.safeParse(parse(text)).data ?? null
}
