import { build } from "./build.js"
import { routeOf } from "./links.js"

const TAGS = {
  bold: "b",
  italic: "i",
  underline: "u",
  strikethrough: "s",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
  expandable_blockquote: "blockquote"
}

const link = (address, children) => {
  const inside = routeOf(address)
  if (inside !== undefined) return build("a", { href: inside }, children)
  const url = /^https?:/i.test(address) ? address : `https://${address}`
  return URL.canParse(url)
    ? build("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, children)
    : build("span", {}, children)
}

const wrap = (entity, text, children) => {
  if (entity.type === "text_link") return link(entity.url, children)
  if (entity.type === "url") return link(text, children)
  if (entity.type === "mention") return build("a", { href: `#/open/${text.slice(1)}` }, children)
  if (entity.type === "spoiler") return build("span", { class: "spoiler", tabindex: 0 }, children)
  if (entity.type === "bot_command") return build("a", { href: "#", "data-say": text }, children)
  return build(TAGS[entity.type] ?? "span", {}, children)
}

const BLOCKS = new Set(["pre", "blockquote", "expandable_blockquote"])

/**
 * The text between two positions as nodes. Entities are nested or beside each other. A block needs no line break around
 * it.
 */
const nodes = (text, entities, start, end) => {
  const found = []
  let at = start
  for (let index = 0; index < entities.length; index += 1) {
    const entity = entities[index]
    if (entity.offset < at) continue
    const close = Math.min(end, entity.offset + entity.length)
    const inner = entities.slice(index + 1).filter(({ offset }) => offset >= entity.offset && offset < close)
    const isBlock = BLOCKS.has(entity.type)
    const before = text.slice(at, entity.offset)
    found.push(
      isBlock ? before.replace(/\n$/, "") : before,
      wrap(entity, text.slice(entity.offset, close), nodes(text, inner, entity.offset, close))
    )
    at = isBlock && close < end && text[close] === "\n" ? close + 1 : close
  }
  return [...found, text.slice(at, end)]
}

export const richText = (text, entities = []) =>
  build("span", { class: "text", dir: "auto" }, nodes(text, entities, 0, text.length))
