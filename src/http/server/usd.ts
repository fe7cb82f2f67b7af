export const toUsd = (microUsd: number): number => microUsd / 1_000_000

export const usdOrNull = <A extends null | undefined>(microUsd: number | A): number | A =>
  typeof microUsd === "number" ? toUsd(microUsd) : microUsd
