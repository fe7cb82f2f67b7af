import type { FastifyReply, FastifyRequest } from "fastify"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

/** How long copies may be cached. A new release changes the content. */
export const REVISED_SECONDS = 300

/** Content that is the same for everybody, in all supported encodings. */
export interface PublicContent {
  readonly type: string
  readonly etag: string
  readonly maxAgeSeconds: number
  readonly encodings: { readonly br: Buffer; readonly gzip: Buffer; readonly identity: Buffer }
}

/** Compresses once, on other threads. Afterwards it is sent from memory. */
export const preparePublic = async (
  type: string,
  content: string | Buffer,
  maxAgeSeconds: number
): Promise<PublicContent> => {
  const identity = Buffer.from(content)
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    promisify(gzip)(identity)
  ])
  const etag = `W/"${createHash("sha256").update(identity).digest("base64url").slice(0, 22)}"`
  return { type, etag, maxAgeSeconds, encodings: { br, gzip: zipped, identity } }
}

const listOf = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "").split(",").map((item) => item.trim().toLowerCase())

const encodingFor = (request: FastifyRequest): keyof PublicContent["encodings"] => {
  const wanted = listOf(request.headers["accept-encoding"]).filter((item) => !/;\s?q=0(?:\.0{1,3})?$/.test(item))
  const accepted = new Set(wanted.map((item) => item.split(";", 1)[0]))
  return accepted.has("br") ? "br" : accepted.has("gzip") ? "gzip" : "identity"
}

export const sendPublic = (
  request: FastifyRequest,
  reply: FastifyReply,
  { type, etag, maxAgeSeconds, encodings }: PublicContent
): FastifyReply => {
  void reply.headers({ etag, vary: "accept-encoding", "cache-control": `public, max-age=${maxAgeSeconds}` })
  const seen = request.headers["if-none-match"]
  if (seen !== undefined && seen.split(",").some((item) => item.trim() === etag)) return reply.code(304).send()
  const encoding = encodingFor(request)
  if (encoding !== "identity") void reply.header("content-encoding", encoding)
  return reply.header("content-type", type).send(encodings[encoding])
}
