import { type Html, html } from "#src/http/server/page.ts"

interface Option {
  readonly value: string
  readonly label: string
}

/** A choice. The first option stands for no choice. */
export const select = (options: {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly options: ReadonlyArray<Option>
}): Html =>
  html`<div class="field">
    <label for="f-${options.name}">${options.label}</label>
    <select id="f-${options.name}" name="${options.name}">
      ${options.options.map(
        ({ value, label }) =>
          html`<option value="${value}" ${value === options.value ? html`selected` : null}>${label}</option>`
      )}
    </select>
  </div>`

export const input = (options: {
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly hint?: string
  readonly type?: "text" | "password" | "number" | "datetime-local"
  readonly required?: boolean
  /** What the browser checks before it sends the form. The server checks it again. */
  readonly pattern?: string
  readonly title?: string
  readonly maxlength?: number
}): Html => {
  const { name, label, value = "", hint, type = "text", required = false, pattern, title, maxlength = 200 } = options
  return html`<div class="field">
    <label for="f-${name}">${label}</label>
    <input
      id="f-${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      maxlength="${maxlength}"
      autocomplete="off"
      spellcheck="false"
      ${required ? html`required` : null}
      ${pattern === undefined ? null : html`pattern="${pattern}" title="${title ?? ""}"`}
      ${hint === undefined ? null : html`aria-describedby="h-${name}"`}
    />
    ${hint === undefined ? null : html`<span class="hint" id="h-${name}">${hint}</span>`}
  </div>`
}

/** Filters of a list. They go into the URL. */
export const filters = (
  path: string,
  fields: ReadonlyArray<Html>,
  kept: Readonly<Record<string, string | null>> = {}
) =>
  html`<form class="filters" method="get" action="${path}" role="search">
    ${Object.entries(kept).map(([name, value]) =>
      value === null ? html`` : html`<input type="hidden" name="${name}" value="${value}" />`
    )}
    ${fields}
    <button type="submit">Filter</button>
    <a class="button" href="${path}">Clear</a>
  </form>`

/** A button that posts. */
export const post = (options: {
  readonly action: string
  readonly csrf: Html
  readonly label: string
  readonly tone?: "first" | "danger" | "danger first" | "slight"
  readonly fields?: Readonly<Record<string, string>>
}): Html =>
  html`<form method="post" action="${options.action}">
    ${options.csrf}
    ${Object.entries(options.fields ?? {}).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`
    )}
    <button class="${options.tone ?? ""}" type="submit">${options.label}</button>
  </form>`
