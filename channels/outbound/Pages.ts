import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { AllowList } from "./AllowList.ts"
import { checkUrl, UrlRejected } from "./checkUrl.ts"
import { guardedFetch } from "./guardedFetch.ts"
import { LookUp } from "./LookUp.ts"
import { type Readable, readableText } from "./readable.ts"
import { target } from "./Target.ts"

/** The page could not be read. Contains a short code, and nothing that the server has sent. */
export class PageUnread extends Schema.TaggedError<PageUnread>()("PageUnread", {
  code: Schema.Literals(["not_allowed", "unreachable", "status", "redirected", "media_type", "empty"])
}) {}

export interface PagesOptions {
  readonly allow: AllowList
  /** Hosts that pages may be read from: `example.org`, and `*.example.org` for its subdomains. */
  readonly hosts: ReadonlyArray<string>
}

/** Maximum length of one page, in UTF-16 units. */
export const PAGE_MAX_CHARS = 100_000

const TEXT = /^(?:text\/(?:plain|markdown|x-markdown)|application\/json)\b/i
const HTML = /^(?:text\/html|application\/xhtml\+xml)\b/i

const isAmong = (hosts: ReadonlyArray<string>, host: string): boolean =>
  hosts.some((one) => (one.startsWith("*.") ? host.endsWith(one.slice(1)) : host === one))

/**
 * Reads web pages from the hosts that the operator has allowed, with the same restrictions as all URLs from tenants:
 * only public addresses, connecting to the checked address, no redirects, at most 1 MiB and ten seconds.
 */
export class Pages extends Context.Service<
  Pages,
  {
    /**
     * Whether such a page may be requested. Null: the operator has not allowed its host. This is no guarantee for
     * later: `read` checks the address that it connects to.
     */
    readonly check: (url: string) => Effect.Effect<URL | null, UrlRejected>
    readonly read: (url: string) => Effect.Effect<Readable, PageUnread>
  }
>()("channels/outbound/Pages") {
  static readonly layer = ({ allow, hosts }: PagesOptions) =>
    Layer.effect(
      Pages,
      Effect.gen(function* () {
        const lookUp = yield* LookUp
        const ask = yield* guardedFetch(allow)

        const check = Effect.fnUntraced(function* (text: string) {
          const url = URL.parse(text)
          if (
            url !== null &&
            /^https?:$/.test(url.protocol) &&
            !isAmong(hosts, target(url.hostname, url.port, url.protocol).host)
          )
            return null
          return yield* checkUrl(allow, lookUp)(text)
        })

        const read = Effect.fnUntraced(function* (text: string) {
          const url = URL.parse(text)
          if (url === null || !isAmong(hosts, target(url.hostname, url.port, url.protocol).host))
            return yield* new PageUnread({ code: "not_allowed" })
          const unreachable = () => new PageUnread({ code: "unreachable" })
          const answer = yield* Effect.tryPromise({
            try: (signal) =>
              ask(url.href, { signal, headers: { accept: "text/html, text/plain;q=0.9, text/markdown;q=0.9" } }),
            catch: unreachable
          })
          const mediaType = answer.headers.get("content-type") ?? ""
          const refuse = (code: PageUnread["code"]) =>
            Effect.promise(() => answer.body?.cancel().catch(() => {}) ?? Promise.resolve()).pipe(
              Effect.andThen(Effect.fail(new PageUnread({ code })))
            )
          if (answer.status >= 300 && answer.status < 400) return yield* refuse("redirected")
          if (answer.status !== 200) return yield* refuse("status")
          if (!TEXT.test(mediaType) && !HTML.test(mediaType)) return yield* refuse("media_type")
          const body = yield* Effect.tryPromise({ try: () => answer.text(), catch: unreachable })
          const page = HTML.test(mediaType) ? readableText(body) : { title: null, text: body }
          // PostgreSQL cannot store U+0000 or lone surrogates.
          const kept = page.text.slice(0, PAGE_MAX_CHARS).toWellFormed().replaceAll("\0", "\uFFFD")
          return kept.trim() === ""
            ? yield* new PageUnread({ code: "empty" })
            : { title: page.title?.toWellFormed().replaceAll("\0", "\uFFFD") ?? null, text: kept }
        })
        return Pages.of({ check, read })
      })
    )
}
