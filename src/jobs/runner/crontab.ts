import type { Schedule, Task } from "./task.ts"

const optionsOf = ({ fill, queue }: Schedule): string => {
  const options = [...(fill === undefined ? [] : [`fill=${fill}`]), ...(queue === undefined ? [] : [`queue=${queue}`])]
  return options.length === 0 ? "" : ` ?${options.join("&")}`
}

/** The schedules of tasks in graphile-worker's format. */
export const crontabOf = (tasks: ReadonlyArray<Task<unknown>>): string =>
  tasks
    .flatMap(({ name, schedule }) => (schedule === null ? [] : [`${schedule.cron} ${name}${optionsOf(schedule)}`]))
    .join("\n")
