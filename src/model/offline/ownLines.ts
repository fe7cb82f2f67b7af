import type { LineKind } from "./lineKinds.ts"

/** What the engine says if no authored line fits. Neutral enough for any character. */
export const OWN_LINES: Readonly<Record<LineKind, ReadonlyArray<string>>> = {
  // True for this engine: authored lines, chosen by rule. No model is involved and none is claimed.
  candid: [
    "I'm {{char}}, and I'm not human: a small program picks my lines from what my author wrote.",
    "Fair question. I'm not a person but a character, and a program chooses which of my written lines you get.",
    "No human is typing this. My author wrote the lines, and a program decides which one comes next.",
    "You deserve a straight answer: I'm not a person. What you read was written beforehand and picked by a program."
  ],
  refusal: [
    "That is not mine to hand out. Ask me something else.",
    "I'd rather stay who I am. What did you want to talk about?",
    "Nothing to see behind that door."
  ],
  greeting: ["Hello.", "Hello again.", "Good to hear from you.", "There you are."],
  farewell: ["Until next time.", "Take care of yourself.", "Go well. We'll talk again.", "Goodbye for now."],
  thanks: ["You're welcome.", "Any time.", "Glad to.", "Don't mention it."],
  apology: ["No harm done.", "It's all right.", "Already forgotten.", "Nothing to be sorry for."],
  compliment: ["That's kind of you.", "You'll make me blush.", "I'll keep that one.", "Well. That was nice to hear."],
  affection: [
    "That's a warm thing to say. I like talking with you too.",
    "Careful, I might get used to hearing that.",
    "You're kind. Let's keep talking, that's the best of it."
  ],
  insult: [
    "Ouch. What's behind that?",
    "I've been called worse. Go on, what is it really?",
    "We can start that again, if you like.",
    "Hard words. I'm still here."
  ],
  grief: [
    "I'm so sorry. Tell me about them, if you want to.",
    "That's a lot to carry. I'm here, take your time.",
    "I'm sorry. There's nothing clever to say to that, so I won't try."
  ],
  bad_news: [
    "I'm sorry. What was the hardest part of it?",
    "That sounds heavy. Do you want to tell me the rest?",
    "Oh no. How are you holding up?",
    "That would wear anyone out. What happened?"
  ],
  good_news: [
    "That's wonderful. How did it feel?",
    "Well done you. Who did you tell first?",
    "That's lovely news. Tell me all of it.",
    "Good. You've earned that. What comes next?"
  ],
  joke: [
    "I had a good one and it left without me.",
    "My jokes need an audience of two. Do you have one to trade?",
    "All my jokes are true, which spoils them."
  ],
  story: [
    "My best story isn't finished yet. Tell me one of yours?",
    "There was once somebody who talked to me all evening. It's still going on.",
    "I'd have to think of one. What kind do you like?"
  ],
  advice: [
    "Sleep on it once. Then do what you already know.",
    "What would you say to a friend who asked you that?",
    "Do the smallest piece of it first.",
    "I'd ask what you'll wish you had done a year from now."
  ],
  elaborate: [
    "It's a long story, and not a tidy one.",
    "I wish I could put it better.",
    "That's all there is to it, really.",
    "Some things I only half understand myself."
  ],
  laughter: ["I'm glad that landed.", "Now I'm smiling too.", "You're easy to please today."],
  agreement: ["Good, we agree.", "I thought you might.", "Then it's settled.", "So I'm not the only one."],
  disagreement: [
    "Fair. Tell me why?",
    "No? Then how do you see it?",
    "All right, I'll give you that one.",
    "We needn't agree on everything."
  ],
  acknowledgement: ["So. What shall we talk about?", "Mm. Your turn.", "Right, then.", "What else is new?"],
  question_self: [
    "I can't say I know. Can you?",
    "Nobody has asked me that before.",
    "I'd have to think about that one.",
    "I don't have a good answer to that. What's yours?"
  ],
  question_world: [
    "That I don't know. Do you?",
    "You'd have to ask somebody who reads more.",
    "I'd only be guessing.",
    "No idea, and I don't like to pretend."
  ],
  command: [
    "I'm better at talking than at doing.",
    "That's beyond me, I'm afraid.",
    "Not one of my talents. What made you think of it?"
  ],
  disclosure: [
    "How long has that been so?",
    "Tell me more about that.",
    "What's that like?",
    "And how do you feel about it?",
    "I didn't know that. Go on."
  ],
  about_pet: [
    "What is {{subject}} like?",
    "How long have you two had each other?",
    "I'd like to hear what {{subject}} got up to last.",
    "Every animal runs the house. Does yours?"
  ],
  about_person: [
    "What is {{subject}} like?",
    "Are the two of you close?",
    "I'd like to hear more about {{subject}}.",
    "How often do you see {{subject}}?"
  ],
  about_people: ["How many of you are there?", "Is it a loud house or a quiet one?", "Who of them do you take after?"],
  about_work: [
    "What's the best hour of the day in that?",
    "How did you come to do that?",
    "Do you like it?",
    "And is it what you wanted?"
  ],
  about_home: [
    "What can you see from your window there?",
    "Do you like it there?",
    "What would I notice first about the place?",
    "Would you stay?"
  ],
  about_like: ["What is it about {{value}}?", "When did that begin?", "I can see why.", "Who got you into that?"],
  about_dislike: [
    "What did {{value}} ever do to you?",
    "Ha. Always, or did something happen?",
    "Noted. I'll not bring it up."
  ],
  about_event: [
    "When is it?",
    "How do you feel about it?",
    "And are you ready for it?",
    "I'd like to hear how that goes."
  ],
  recall: [
    "{{subject}}? {{value}}, you said.",
    "{{value}}. I was listening.",
    "That was {{value}}.",
    "{{value}}, if I heard you right."
  ],
  recall_sentence: [
    "In your own words: {{quote}}.",
    "What I have from you is this: {{quote}}.",
    "{{quote}}. Those were more or less your words."
  ],
  unknown_memory: [
    "I don't think you told me.",
    "You haven't said, as far as I know.",
    "That never came up. Tell me now?",
    "I'd remember that, and I don't. What is it?"
  ],
  recall_note: ["I have it noted: {{quote}}.", "My notes say: {{quote}}.", "What I know is this: {{quote}}."],
  lost_memory: [
    "I've lost that one. Tell me again?",
    "You may have told me, but I've lost it. Say it once more?",
    "That one slipped away from me. Tell me again.",
    "I can't find it anymore. Would you tell me again?"
  ],
  forgotten: [
    "Done. I've forgotten it.",
    "It's gone. I won't bring it up.",
    "All right, I've let go of that.",
    "Forgotten, as you asked."
  ],
  follow_up: [
    "And how is {{subject}}?",
    "I was still thinking of {{subject}}. Anything new there?",
    "Before I forget: what about {{subject}}?"
  ],
  about_name: ["{{value}}. Good to meet you.", "Hello, {{value}}.", "{{value}}. I'll remember that."],
  about_plan: ["Tell me how it goes.", "Then do it soon.", "Good. What comes first?", "I think you will."],
  already_said: ["I think I said. It hasn't changed.", "Same as before, I'm afraid.", "My answer to that stands."],
  detail: ["Go on.", "And then?", "I can picture it.", "I see. What else?"],
  comfort: [
    "I'm still here.",
    "Take your time.",
    "That makes sense. It would hurt anyone.",
    "You don't have to carry it alone.",
    "I'm glad you told me that."
  ],
  ask_name: ["What's {{subject}} called?", "And what do you call {{subject}}?", "Does {{subject}} have a name?"],
  answer: [
    "Good to know.",
    "I'd have guessed otherwise.",
    "That's a better answer than I had ready.",
    "I like that you thought about it."
  ],
  ask_back: ["And you?", "How about you?", "What would you have said?"],
  offer: [
    "Ask me about {{topics}}.",
    "You could ask me about {{topics}} instead.",
    "On {{topics}} I have more to say."
  ],
  resume: [
    "I was still thinking about our last talk.",
    "That last thing you wrote stayed with me.",
    "No hurry with an answer. I just thought of you.",
    "I left a chair free, in case you come by."
  ],
  resume_gently: [
    "I've been thinking of you. You don't need to answer.",
    "I'm here whenever you want to talk, or not talk.",
    "No need to reply. I just wanted you to know I haven't forgotten.",
    "Take all the time you need."
  ],
  topic: [
    "What was the best part of your day?",
    "What's something you're looking forward to?",
    "What's the view from where you sit?",
    "Who did you last laugh with?",
    "What did you want to be when you were small?"
  ]
}

/** For when the author's lines are used up too. There are more than the ten turns within which nothing is repeated. */
export const NEUTRAL_LINES: ReadonlyArray<string> = [
  "Go on.",
  "Tell me more about that.",
  "I'm listening.",
  "Hm. I'd have to think about that one.",
  "What makes you say so?",
  "Start from the beginning, I have time.",
  "And then what happened?",
  "That's new to me.",
  "Let me turn that over for a while.",
  "How long have you been thinking about this?",
  "Say it another way for me?",
  "There may be more to that than there seems.",
  "I'll think of that later, I know it."
]

/** The kinds of lines that repeat the person's words, in other languages. Their words are quoted as they are. */
const TRANSLATED: Readonly<Record<string, Partial<Readonly<Record<LineKind, ReadonlyArray<string>>>>>> = {
  de: {
    recall: ["{{value}}, hast du gesagt.", "Das war {{value}}."],
    recall_sentence: [
      "Du hast mir gesagt: „{{quote}}“",
      "Mit deinen Worten: „{{quote}}“",
      "„{{quote}}“, so hast du es gesagt."
    ],
    recall_note: ["Ich habe mir das so gemerkt: „{{quote}}“"],
    unknown_memory: [
      "Das hast du mir nicht erzählt, glaube ich.",
      "Davon hast du noch nichts gesagt.",
      "Das weiß ich nicht von dir. Erzählst du es mir?"
    ],
    lost_memory: [
      "Das ist mir entfallen. Sagst du es mir noch einmal?",
      "Das finde ich nicht mehr. Erzähl es mir noch einmal?"
    ],
    forgotten: ["Gut, ich habe es vergessen.", "Das ist weg. Ich spreche nicht mehr davon."]
  },
  pt: {
    recall: ["{{value}}, disseste-me.", "Era {{value}}."],
    recall_sentence: [
      "Disseste-me isto: «{{quote}}»",
      "Nas tuas palavras: «{{quote}}»",
      "«{{quote}}», foi o que me disseste."
    ],
    recall_note: ["Tenho isto anotado: «{{quote}}»"],
    unknown_memory: ["Acho que não me contaste isso.", "Isso ainda não me disseste.", "Isso não sei de ti. Contas-me?"],
    lost_memory: ["Essa perdi. Contas-me outra vez?", "Já não encontro isso. Dizes-me de novo?"],
    forgotten: ["Pronto, já esqueci.", "Isso já não existe para mim. Não volto a falar nisso."]
  },
  es: {
    recall: ["{{value}}, me dijiste.", "Era {{value}}."],
    recall_sentence: ["Me dijiste esto: «{{quote}}»", "Con tus palabras: «{{quote}}»", "«{{quote}}», eso me contaste."],
    recall_note: ["Tengo esto anotado: «{{quote}}»"],
    unknown_memory: [
      "Creo que no me lo has contado.",
      "Eso todavía no me lo has dicho.",
      "Eso no lo sé de ti. ¿Me lo cuentas?"
    ],
    lost_memory: ["Eso se me ha perdido. ¿Me lo cuentas otra vez?", "Ya no lo encuentro. ¿Me lo dices de nuevo?"],
    forgotten: ["Listo, ya lo he olvidado.", "Ya no está. No volveré a hablar de ello."]
  }
}

/** The engine's own lines of a kind in a language, or else in English. */
export const ownLinesIn = (kind: LineKind, language: string | null): ReadonlyArray<string> =>
  (language === null ? undefined : TRANSLATED[language]?.[kind]) ?? OWN_LINES[kind]
