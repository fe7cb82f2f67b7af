/**
 * The text of a statement may depend on values that are known only at run time. Each such question is a choice. A
 * statement is built in rounds until every answer to every question was given at least once. Within a round the same
 * question has the same answer.
 */
export class Choices {
  readonly #answers: ReadonlyMap<string, number>
  readonly #asked = new Map<string, number>()
  /** Questions with their answers, in order. */
  readonly #log: Array<string> = []

  constructor(answers: ReadonlyMap<string, number>) {
    this.#answers = answers
  }

  choose(question: string, answers: number): number {
    const answer = Math.min(this.#answers.get(question) ?? 0, answers - 1)
    this.#asked.set(question, answers)
    this.#log.push(`${question}=${answer}`)
    return answer
  }

  /** What is built, and the answers that it depends on, as text. */
  following<A>(build: () => A): { readonly value: A; readonly answers: string } {
    const before = this.#log.length
    const value = build()
    return { value, answers: [...new Set(this.#log.slice(before))].join(" ") }
  }

  static rounds<A>(build: (choices: Choices) => A): ReadonlyArray<A> {
    const built: Array<A> = []
    const given = new Set<string>()
    const planned: Array<ReadonlyMap<string, number>> = [new Map()]
    for (const plan of planned) {
      const choices = new Choices(plan)
      built.push(build(choices))
      for (const [question, answers] of choices.#asked) {
        given.add(`${plan.get(question) ?? 0} ${question}`)
        for (let answer = 0; answer < answers; answer++) {
          const key = `${answer} ${question}`
          if (given.has(key)) continue
          given.add(key)
          planned.push(new Map([...plan, [question, answer]]))
        }
      }
    }
    return built
  }
}
