/** A bot that a person has created, from the manager's update. */
export interface CreatedBot {
  readonly userId: number
  readonly username: string
  readonly ownerId: number
}

export interface BotRef {
  readonly appId: string
  readonly channelId: string
}
