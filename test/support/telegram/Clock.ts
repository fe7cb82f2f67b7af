const LONGEST_TIMER_MS = 2_000_000_000

interface Timer {
  readonly atMs: number
  readonly action: () => void
}

/** Telegram's time. It runs `speed` times as fast as ours, stands still at 0, and can be advanced. */
export class Clock {
  readonly #speed: number
  readonly #startedAtMs = performance.now()
  readonly #epochMs = Date.now()
  readonly #timers = new Set<Timer>()
  #skippedMs = 0
  #alarm: NodeJS.Timeout | undefined
  #alarmAtMs = Infinity

  constructor(speed: number) {
    this.#speed = speed
  }

  nowMs(): number {
    return this.#epochMs + this.#skippedMs + (performance.now() - this.#startedAtMs) * this.#speed
  }

  /** Unix time in seconds. */
  seconds(): number {
    return Math.floor(this.nowMs() / 1_000)
  }

  /** Returns a function that cancels it. */
  after(delayMs: number, action: () => void): () => void {
    const timer = { atMs: this.nowMs() + delayMs, action }
    this.#timers.add(timer)
    if (timer.atMs < this.#alarmAtMs) this.#arm(timer.atMs)
    return () => {
      this.#timers.delete(timer)
    }
  }

  wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve))
  }

  /** Advances the time and runs everything that becomes due. */
  advance(ms: number): void {
    this.#skippedMs += ms
    this.#ring()
  }

  close(): void {
    clearTimeout(this.#alarm)
    this.#timers.clear()
  }

  #arm(atMs: number): void {
    clearTimeout(this.#alarm)
    this.#alarmAtMs = atMs
    if (atMs === Infinity) return
    const realMs = Math.max(0, Math.ceil((atMs - this.nowMs()) / this.#speed))
    this.#alarm = setTimeout(() => this.#ring(), Math.min(realMs, LONGEST_TIMER_MS))
  }

  #ring(): void {
    const nowMs = this.nowMs()
    for (const timer of [...this.#timers]
      .filter(({ atMs }) => atMs <= nowMs)
      .sort((one, other) => one.atMs - other.atMs)) {
      if (this.#timers.delete(timer)) timer.action()
    }
    let nextAtMs = Infinity
    for (const { atMs } of this.#timers) nextAtMs = Math.min(nextAtMs, atMs)
    this.#arm(nextAtMs)
  }
}
