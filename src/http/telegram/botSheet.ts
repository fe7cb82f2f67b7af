import type { StoredBatch, StoredItem } from "#src/db/telegram/batches/StoredBatch.ts"
import { linkOf } from "./batchItem.ts"
import { qrCode } from "./qrCode.ts"
import { type Html, html, page, policyOf } from "#src/http/server/page.ts"

/** Suitable for printing: dark on white regardless of the screen's preference, and no bot is split over two pages. */
const STYLE = `
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem; max-width: 64rem; background: #fff; color: #1c2024; font: 1rem/1.45 \
system-ui, sans-serif; overflow-wrap: anywhere }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25 }
h2 { margin: 0; font-size: 1.0625rem; line-height: 1.3 }
p, ol { margin: 0 0 .75rem }
.count { font-weight: 600 }
.soft { color: #5b6470; font-size: .875rem }
.bots { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .75rem; align-items: start; \
margin: 1.25rem 0 0; padding: 0; list-style: none }
.bots > li { padding: .875rem; border: 1px solid #b6bcc4; border-radius: .5rem; break-inside: avoid }
.bots p { margin: .25rem 0 0; font-size: .8125rem; line-height: 1.35 }
.bots img { display: block; width: 100%; max-width: 13rem; aspect-ratio: 1; margin: .375rem auto }
.bots .state { font-size: .9375rem; font-weight: 600 }
.made { background: #edf7ef }
.over { background: #f4f5f7; color: #5b6470 }
a { color: inherit }
@media print { body { max-width: none; padding: 0; font-size: .875rem } .bots { grid-template-columns: repeat(3, 1fr) \
} .made, .over { background: none } }
`
/** In addition to its style, a sheet has inline pictures. */
export const SHEET_POLICY = policyOf(STYLE, " img-src data:;")

const at = (time: Date): string =>
  `${new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }).format(time)} UTC`

type Standing = "open" | "made" | "over" | "unready"
const standingOf = ({ bot, link, status }: StoredItem): Standing => {
  if (link !== null) return "open"
  if (bot === null) return status === "failed" ? "over" : "unready"
  return bot.status === "detached" ? "over" : "made"
}

const stateOf = ({ bot, error, status }: StoredItem, dryRun: boolean): Html => {
  if (bot?.status === "detached") return bot.reason === "link_expired" ? html`The link has expired` : html`Detached`
  if (bot !== null) {
    const name = bot.username === null ? null : html` · <a href="https://t.me/${bot.username}">@${bot.username}</a>`
    switch (bot.status) {
      case "awaiting_creation":
      case "pending":
        return html`Created, setup in progress${name}`
      case "active":
        return html`Done${name}`
      default:
        return html`Created, ${bot.status}${bot.reason === null ? "" : ` (${bot.reason})`}${name}`
    }
  }
  if (status === "failed") return html`Failed: ${error ?? "unknown error"}`
  return dryRun ? html`Dry run: no link was created` : html`In preparation: reload this page`
}

/** The card of one bot on the sheet. */
export const sheetCard = (batch: StoredBatch, item: StoredItem): Html => {
  const { bot, channel_id, character_slug, wanted } = item
  const link = linkOf(batch, item)
  return html`<li class="${standingOf(item)}">
    <h2>${String(Number(item.item))}. <bdi>${wanted?.suggested_name ?? bot?.username ?? channel_id}</bdi></h2>
    ${character_slug === null ? null : html`<p>Character: <bdi>${character_slug}</bdi></p>`}
    ${wanted?.owner_ref == null ? null : html`<p>For: <bdi>${wanted.owner_ref}</bdi></p>`}
    ${
      link === null
        ? html`<p class="state">${stateOf(item, batch.dry_run)}</p>`
        : html`<img src="${qrCode(link.url)}" alt="QR code of the link that creates the bot" />
            <p class="state">Create it by ${at(new Date(link.expires_at))}</p>
            <p><a href="${link.url}">${link.url}</a></p>
            <p class="soft">To choose another username: <a href="${link.claim_url}">${link.claim_url}</a></p>`
    }
  </li> `
}

const HOW = html`<ol>
    <li>Scan a code with the phone of the Telegram account that will own the bot.</li>
    <li>
      Confirm in Telegram, and don't change the username. To choose another username, open the second link first and
      create the bot from the button there.
    </li>
  </ol>
  <p>
    <b>One Telegram account can own 20 bots, or 40 with Telegram Premium.</b> When Telegram says that there are too
    many, continue with another account.
  </p>
  <p class="soft">
    Anyone who has this sheet can create the remaining bots on it, so keep it private.
  </p>`

/** A page for printing: the bots of a batch, with QR codes for those that a person still has to create. */
export const botSheet = (
  batch: StoredBatch,
  items: ReadonlyArray<StoredItem>,
  cards: ReadonlyArray<Html>,
  now: Date
): string => {
  const count = (standing: Standing) => items.filter((item) => standingOf(item) === standing).length
  const parts = [
    [count("made"), "created"],
    [count("open"), "waiting to be created"],
    [count("unready"), "in preparation"],
    [count("over"), "expired, detached or failed"]
  ] as const
  const told = parts.flatMap(([many, what]) => (many === 0 ? [] : [`${many} ${what}`])).join(", ")
  const isToCreate = batch.action === "create_managed"
  return page(
    isToCreate ? "Telegram bots to create" : "Telegram bots",
    html` <p class="count">Of ${String(items.length)}: ${told}.</p>
      ${isToCreate ? HOW : null}
      <p class="soft">As of ${at(now)}. Batch ${batch.batch_id}.</p>
      <ol class="bots">
        ${cards}
      </ol>`,
    STYLE
  )
}
