import { type Html, html } from "#src/http/server/page.ts"

export interface Column<A> {
  readonly label: string
  readonly cell: (row: A) => Html | string
  /** The order by this column: its name in the URL, and which way it runs. Without one, it cannot be sorted by. */
  readonly sort?: { readonly name: string; readonly direction: "ascending" | "descending" }
  /** The list is always in the order of this column. */
  readonly ordered?: "ascending" | "descending"
  readonly num?: boolean
}

export interface Sorting {
  /** The name of the order at present. */
  readonly order: string
  /** The URL of this list in another order. */
  readonly url: (order: string) => string
}

const arrow = (direction: "ascending" | "descending"): Html =>
  html`<span aria-hidden="true">${direction === "ascending" ? "↑" : "↓"}</span>`

const head = <A>({ label, sort, ordered, num }: Column<A>, sorting: Sorting | undefined): Html => {
  const align = num === true ? "num" : ""
  if (ordered !== undefined)
    return html`<th scope="col" class="${align}" aria-sort="${ordered}">${label}${arrow(ordered)}</th>`
  if (sort === undefined || sorting === undefined) return html`<th scope="col" class="${align}">${label}</th>`
  const { name, direction } = sort
  return sorting.order === name
    ? html`<th scope="col" class="${align}" aria-sort="${direction}">
        <a href="${sorting.url(name)}">${label}${arrow(direction)}</a>
      </th>`
    : html`<th scope="col" class="${align}"><a href="${sorting.url(name)}">${label}</a></th>`
}

/**
 * A table whose rows become cards on a narrow screen. The first column names the row. The roles are written out because
 * browsers drop those of a table that is not displayed as one.
 */
export const table = <A>(options: {
  readonly label: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly rows: ReadonlyArray<A>
  readonly sorting?: Sorting
  /** What to say, and what to do, when there is no row. */
  readonly empty: Html
}): Html => {
  const { label, columns, rows, sorting, empty } = options
  if (rows.length === 0) return html`<div class="empty">${empty}</div>`
  const cell = (row: A, { label: name, cell: show, num }: Column<A>, index: number) =>
    index === 0
      ? html`<th scope="row" role="rowheader" data-label="${name}"><div>${show(row)}</div></th>`
      : html`<td role="cell" data-label="${name}" class="${num === true ? "num" : ""}"><div>${show(row)}</div></td>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label} (table)">
    <table class="cards-when-narrow" role="table" aria-label="${label}">
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map((column) => head(column, sorting))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map((row) => html`<tr role="row">${columns.map((column, index) => cell(row, column, index))}</tr>`)}
      </tbody>
    </table>
  </div>`
}
