import { scaleLinear, scaleUtc } from "d3-scale"
import { line } from "d3-shape"
import { type Html, html } from "#src/http/server/page.ts"

const WIDTH = 360
const HEIGHT = 120
const MARGIN = { top: 8, right: 4, bottom: 18, left: 44 }
/** Rows of the table beside a chart. */
const MAX_ROWS = 48

export interface Series {
  readonly name: string
  /** One value for each moment. Null: nothing was measured. */
  readonly values: ReadonlyArray<number | null>
}

export interface LineChart {
  /** Unique on its page. */
  readonly id: string
  readonly title: string
  /** What the latest or total value is, in words. */
  readonly summary: string
  readonly at: ReadonlyArray<Date>
  readonly series: ReadonlyArray<Series>
  readonly format: (value: number) => string
  /** The top of the scale is at least this, so that nothing does not look like something. */
  readonly least: number
  /** What the ticks below name. */
  readonly by: "hour" | "day"
  /** `points`: each value is marked, and its line goes on over moments that have none. Default: `line`, with gaps. */
  readonly marks?: "line" | "points"
}

type Point = readonly [at: Date, value: number | null]

const tick = (at: Date, by: LineChart["by"]) =>
  by === "hour" ? at.toISOString().slice(11, 16) : at.toISOString().slice(5, 10)
const moment = (at: Date) => `${at.toISOString().slice(0, 16).replace("T", " ")}`

const key = (series: ReadonlyArray<Series>): Html | null =>
  series.length < 2
    ? null
    : html`<ul class="key">
        ${series.map(
          ({ name }, index) =>
            html`<li>
              <svg viewBox="0 0 24 8" aria-hidden="true"><path class="series s${index + 1}" d="M0 4H24" /></svg>${name}
            </li>`
        )}
      </ul>`

const rows = ({ at, series, format }: LineChart): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="The figures of the chart">
    <table>
      <thead>
        <tr>
          <th scope="col">UTC</th>
          ${series.map(({ name }) => html`<th scope="col" class="num">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${at
          .map(
            (moment_, index) =>
              html`<tr>
                <th scope="row">${moment(moment_)}</th>
                ${series.map(({ values }) => {
                  const value = values[index] ?? null
                  return html`<td class="num">${value === null ? "–" : format(value)}</td>`
                })}
              </tr>`
          )
          .slice(-MAX_ROWS)
          .toReversed()}
      </tbody>
    </table>
  </div>`

const picture = ({ title, at, series, format, summary, least, by, marks = "line" }: LineChart): Html => {
  const top = Math.max(least, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const x = scaleUtc([at[0] ?? new Date(0), at.at(-1) ?? new Date(1)], [MARGIN.left, WIDTH - MARGIN.right])
  const y = scaleLinear([0, top], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(3)
  const path = line<Point>()
    .defined(([, value]) => value !== null)
    .x(([moment_]) => x(moment_))
    .y(([, value]) => y(value ?? 0))
  const pointsOf = ({ values }: Series): Array<Point> =>
    values
      .map((value, index): Point => [at[index] ?? new Date(0), value])
      .filter(([, value]) => marks === "line" || value !== null)
  const ticks = x.ticks(4)
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}: ${summary}">
    ${y.ticks(3).map(
      (value) =>
        html`<path class="grid" d="M${MARGIN.left} ${y(value).toFixed(1)}H${WIDTH - MARGIN.right}" /><text
              x="${MARGIN.left - 6}"
              y="${(y(value) + 3.5).toFixed(1)}"
              text-anchor="end"
              >${format(value)}</text
            >`
    )}
    ${ticks.map(
      (at) => html`<text x="${x(at).toFixed(1)}" y="${HEIGHT - 3}" text-anchor="middle"
        >${tick(at, by)}</text
      >`
    )}
    ${series.map((one, index) => html`<path class="series s${index + 1}" d="${path(pointsOf(one)) ?? ""}" />`)}
    ${
      marks === "line"
        ? null
        : series.flatMap((one, index) =>
            pointsOf(one).map(
              ([moment_, value]) =>
                html`<circle
                  class="point s${index + 1}"
                  cx="${x(moment_).toFixed(1)}"
                  cy="${y(value ?? 0).toFixed(1)}"
                  r="3"
                />`
            )
          )
    }
  </svg>`
}

/** Lines over time as a picture, with their figures as a table. */
export const lineChart = (chart: LineChart): Html =>
  html`<figure class="card chart">
    <figcaption><span>${chart.title}</span><span class="soft">${chart.summary}</span></figcaption>
    ${picture(chart)} ${key(chart.series)}
    <details id="${chart.id}">
      <summary>As a table</summary>
      ${rows(chart)}
    </details>
  </figure>`
