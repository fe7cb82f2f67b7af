import { type Html, html } from "#src/http/server/page.ts"

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })
const money = new Intl.NumberFormat("en", { style: "currency", currency: "USD", minimumFractionDigits: 2 })
const cents = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 2 })

export const count = (value: number): string => whole.format(value)
export const compact = (value: number): string => (value < 10_000 ? whole.format(value) : short.format(value))
/** `2 bots`, `1 bot`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${whole.format(value)} ${value === 1 ? one : many}`

export const usd = (microUsd: number): string =>
  microUsd !== 0 && Math.abs(microUsd) < 10_000 ? cents.format(microUsd / 1e6) : money.format(microUsd / 1e6)

export const percent = (part: number, all: number): string => (all === 0 ? "–" : `${Math.round((100 * part) / all)} %`)

/** A length of time in the unit that fits it. */
export const duration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`
  if (ms < 172_800_000) return `${Math.floor(ms / 3_600_000)} h`
  return `${Math.floor(ms / 86_400_000)} days`
}

export const bytes = (value: number): string => {
  if (value < 1024) return `${value} B`
  const unit = Math.min(4, Math.floor(Math.log2(value) / 10))
  return `${(value / 1024 ** unit).toFixed(1)} ${["", "KiB", "MiB", "GiB", "TiB"][unit]}`
}

const shown = (at: Date) => `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`

/** How long ago, or in how long, with the moment itself when the pointer rests on it. */
export const when = (at: Date | string | null, nowMs: number, none = "never"): Html => {
  if (at === null) return html`<span class="soft">${none}</span>`
  const moment = typeof at === "string" ? new Date(at) : at
  const ago = nowMs - moment.getTime()
  const words = Math.abs(ago) < 1_000 ? "just now" : ago > 0 ? `${duration(ago)} ago` : `in ${duration(-ago)}`
  return html`<time datetime="${moment.toISOString()}" title="${shown(moment)}">${words}</time>`
}

/** A part of a whole as a bar. The number stands beside it. Of a limit, it warns when little is left. */
export const meter = (part: number, all: number, label: string, of: "limit" | "work" = "limit"): Html => {
  const share = all <= 0 ? 0 : Math.min(1, part / all)
  return html`<svg
    class="meter ${of === "work" ? "" : share >= 1 ? "bad" : share >= 0.8 ? "warn" : ""}"
    viewBox="0 0 100 4"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    <rect class="track" width="100" height="4" rx="2" />
    <rect class="fill" width="${(share * 100).toFixed(2)}" height="4" rx="2" />
  </svg>`
}
