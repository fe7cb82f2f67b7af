/** Makes an element. Strings become text, never markup. */
export const build = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, "")
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, String(value))
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false))
  return element
}

const PATHS = {
  back: "M15 5l-7 7 7 7",
  send: "M4 12l16-8-5 17-4-7z",
  attach: "M20 11l-8 8a5 5 0 0 1-7-7l9-9a3.500 3.500 0 0 1 5 5l-9 9a1.500 1.500 0 0 1-2.500-2.500l8-8",
  more: "M12 4.500v1M12 11.500v1M12 18.500v1",
  close: "M6 6l12 12M18 6L6 18",
  file: "M7 3h7l4 4v14H7zM14 3v4h4",
  reply: "M10 6l-6 6 6 6M4 12h9a7 7 0 0 1 7 7",
  voice: "M12 4v10M8 9v3a4 4 0 0 0 8 0V9M12 18v3"
}

export const icon = (name) => {
  const namespace = "http://www.w3.org/2000/svg"
  const svg = document.createElementNS(namespace, "svg")
  svg.setAttribute("viewBox", "0 0 24 24")
  svg.setAttribute("aria-hidden", "true")
  const path = document.createElementNS(namespace, "path")
  path.setAttribute("d", PATHS[name])
  svg.append(path)
  return svg
}

const HUES = [4, 28, 265, 140, 190, 215, 330]

export const avatar = ({ id, photo, title }) => {
  if (photo) return build("img", { class: "avatar", alt: "", src: `file?path=${encodeURIComponent(photo)}` })
  const element = build("span", { class: "avatar", "aria-hidden": "true" }, [...title][0]?.toUpperCase() ?? "?")
  element.style.setProperty("--hue", String(HUES[Math.abs(id) % HUES.length]))
  return element
}

export const clockTime = (seconds) =>
  new Date(seconds * 1000).toLocaleTimeString([], { hour: "numeric", minute: "2-digit" })

export const dayName = (seconds) => new Date(seconds * 1000).toLocaleDateString([], { day: "numeric", month: "long" })
