/**
 * One line of the report: our value against a limit measured in the same run, alternately, as medians over the rounds.
 */
export interface Result {
  readonly name: string
  readonly what: string
  readonly ours: number
  readonly limit: number
  readonly unit: string
  readonly ratio: number
  readonly goal: string
  readonly reached: boolean
  /** What each round measured. */
  readonly raw: ReadonlyArray<Record<string, number | string>>
}

export interface Row {
  readonly name: string
  readonly run: (rounds: number) => Promise<ReadonlyArray<Result>>
}
