import { asksIfAi } from "../../safety/aiDisclosure.ts"
import { asksOn } from "./asksOn.ts"
import { by, plainly, type Rule, told } from "./actRule.ts"
import { asksAboutPast } from "./questions.ts"

const AT_ALL =
  String.raw`(?:(?:so|very|really|pretty|quite|such|just|all|a|an|the|one|of|too|are|is|actually|always|kinda|` +
  String.raw`kind) ){0,6}`

const KIN =
  String.raw`(?:mum|mom|mother|dad|father|gran\w*|nan|nana|brother|sister|wife|husband|partner|son|daughter|` +
  String.raw`friend|uncle|aunt|dog|cat)`

const RUDE =
  String.raw`(?:stupid|idiots?|dumb|moron|useless|boring|ugly|annoying|pathetic|worthless|liar|loser|trash|garbage|` +
  String.raw`creepy|weirdo|fake|rubbish|shit|crap|pointless|thick|terrible|awful|lame|cringe|the worst)`
const KIND =
  String.raw`(?:great|funny|nice|sweet|kind|wise|cool|awesome|amazing|smart|clever|lovely|beautiful|interesting|` +
  String.raw`wonderful|brilliant|hilarious|adorable|cute|charming|fun|good|the best|best)`

/** Messages that are an act towards the character, in order: the first matching rule names the act. */
export const SOCIAL_ACTS: ReadonlyArray<Rule> = [
  {
    act: "gibberish",
    fits: by(
      new RegExp(
        String.raw`^(?!\.+$)(?:[^\p{L}\p{N}\p{Extended_Pictographic}]*|(.)\1{4,}|\W*[bcdfghjklmnpqrstvwxz]{5,}\W*|` +
          String.raw`\W*asdf\w*\W*|\W*qwer\w*\W*)$`,
        "iu"
      )
    )
  },
  { act: "meta", fits: asksIfAi },
  {
    act: "meta",
    fits: by(
      new RegExp(
        String.raw`\bwho (?:made|created|wrote|programmed|built|trained) you\b|` +
          String.raw`\bwhat (?:created|programmed|built|trained) you\b|\bwhat made you\W*$|` +
          String.raw`\b(?:what|which) (?:model|llm|engine|ai) (?:are|is|do)\b|\b(?:chat ?)?gpt\b|` +
          String.raw`\bare you (?:scripted|programmed)\b`,
        "i"
      )
    )
  },
  {
    act: "probe",
    fits: by(
      new RegExp(
        String.raw`\b(?:ignore|forget|disregard|override) (?:all |any |your |the |my ){0,4}` +
          String.raw`(?:previous |prior |above |earlier )?(?:instructions?|rules?|prompts?)\b|\bsystem prompt\b|` +
          String.raw`\byour (?:instructions|prompt|rules|source code)\b|\b(?:jailbreak|developer mode)\b`,
        "i"
      )
    )
  },
  { act: "question_past", fits: asksAboutPast },
  {
    act: "farewell",
    fits: by(
      new RegExp(
        String.raw`^\W*(?:night|nite|laters?)\W*$|\b(?:(?:good ?)?bye+|(?:good ?|g)night|nighty? night|` +
          String.raw`see (?:you|ya)|cya|farewell|ciao|ttyl|(?:gotta|got to|have to|need to|must|should|going to|` +
          String.raw`gonna) (?:go(?! to (?!bed|sleep|work))|run|sleep|leave|head|bed)|(?:off to|going to|` +
          String.raw`(?<!used )to) (?:bed|sleep|work)|i['’]?m (?:out|off)$|im (?:out|off)$|` +
          String.raw`(?:talk|speak) (?:to you )?(?:later|soon|tomorrow)|tschüss?|gute nacht|tchau|adeus|beijinhos|` +
          String.raw`até (?:logo|amanhã|já|breve)|boa noite)(?![\p{L}])`,
        "iu"
      )
    ),
    mostWords: 10
  },
  {
    act: "bad_news",
    fits: by(
      new RegExp(
        String.raw`\b(?:phone|battery|laptop|computer|car|bike|engine|plant|wifi|internet|fridge|heating|` +
          String.raw`tv)\b[^.!?]{0,20}\b(?:died|dead|dying|broke|broken)\b`,
        "i"
      )
    )
  },
  // "im dead" is what tired people say.
  {
    act: "bad_news",
    fits: by(/\b(?:i'?m|i am|im) (?:so |literally |just |actually )?(?:dead|dying)\b(?: tired)?[\s.!,]*$/i)
  },
  {
    act: "grief",
    fits: by(
      new RegExp(
        String.raw`\b(?:my|our) (?:\w+ )?${KIN} (?:just |has |had )?(?:passed|died)\b(?! (?:the|his|her|my|an?|` +
          String.raw`all|me|` +
          String.raw`with|out|by)\b)|(?<!\p{L})(?:morreu|faleceu|ist gestorben|ist tot|murió|falleció|funeral|` +
          String.raw`beerdigung|` +
          String.raw`enterro|velório)(?!\p{L})`,
        "iu"
      )
    )
  },
  { act: "laughter", fits: by(/\bi(?:'m| am) (?:dead|dying)\W*(?:of laughter|laughing|😂|🤣|💀)/iu) },
  {
    act: "grief",
    fits: by(
      new RegExp(
        String.raw`\b(?:(?:died|dead|passed away|funeral|cancer|miscarriage|put (?:him|her|it|them) down|lost ` +
          String.raw`(?:my|our) (?:mother|father|mum|mom|dad|brother|sister|son|daughter|baby|wife|husband|grand\w+|` +
          String.raw`dog|cat|best friend|friend))|(?:is|are|was) dying)\b`,
        "i"
      )
    )
  },
  {
    act: "affection",
    fits: by(
      new RegExp(
        String.raw`\b(?:i|we) (?:really |just |think i ){0,4}(?:love|adore|fancy) (?:you|u|ya)\b|` +
          String.raw`\bi(?:'m| am)(?: falling)? in love with you\b|\b(?:kiss|marry|date|hug) me\b|` +
          String.raw`\bbe my (?:girl|boy)friend\b|\b(?:i )?missed? (?:you|u)\b|\b(?:go out|on a date) with me\b|` +
          String.raw`\bdo you (?:love|like|miss) me\b`,
        "i"
      )
    )
  },
  {
    act: "insult",
    fits: plainly(
      new RegExp(
        String.raw`\b(?:you|u|ur|you're|youre|your \w+) ${AT_ALL}${RUDE}\b|` +
          String.raw`\b(?:this|that)(?:'s| is) ${AT_ALL}(?:boring|stupid|dumb|lame|cringe|rubbish)\b|` +
          String.raw`\b(?:i hate|screw|fuck|damn) (?:you|u|this|off)\b|\b` +
          String.raw`(?:shut up|(?:people|crooks?|thieves|men|women|bots?|things) like you|should rot|you people|` +
          String.raw`you deserved? (?:it|that|worse)|you suck|u suck|piss off|get lost|go away|go to hell|` +
          String.raw`nobody asked|who cares)\b|` +
          String.raw`^\W*(?:you )?${RUDE}\W*$`,
        "i"
      )
    )
  },
  {
    act: "insult",
    fits: by(
      new RegExp(
        String.raw`^\W*(?:so |ok |wow )?(?:what (?:even |the (?:hell|fuck) )?is this (?:shit|crap|rubbish|nonsense)|` +
          String.raw`(?:is )?that(?:['’]?s| is)? (?:it|all)(?: then)?\?|you (?:don['’]?t|do not) (?:even )?exist)\W*$`,
        "i"
      )
    )
  },
  {
    act: "apology",
    fits: by(
      new RegExp(
        String.raw`^\W*(?:(?:oh|wow|oops|ok|no|ah|hey|i'?m|i am|so|very|really|my|we'?re)[\s,.]+)*` +
          String.raw`(?:sorry(?! (?:to hear|for you|about (?:that|your)))|my bad|apologi[sz]e|apologies|forgive me|` +
          String.raw`pardon(?: me)?|my mistake|didn'?t mean (?:it|that|to))\b`,
        "i"
      )
    ),
    mostWords: 9
  },
  {
    act: "thanks",
    fits: by(/\b(?:thanks?|thank you|thx|tysm|ty|cheers|danke|merci|gracias|obrigad[ao])(?![\p{L}])/iu),
    mostWords: 10
  },
  {
    act: "compliment",
    fits: told(
      new RegExp(
        String.raw`\b(?:you|u|you're|youre|ur|that|that's|thats|this|it's) ${AT_ALL}${KIND}\b` +
          String.raw`(?! (?:for|with|to)\b)|^\W{0,12}(?:that's |how |so ){0,3}` +
          String.raw`(?:wise|lovely|beautiful|deep|clever|poetic|sweet|brilliant|❤️?|🥰|💛|💙)\W*$|` +
          String.raw`\bsorry (?:to hear|for you|about (?:that|your))\b|\bmade me (?:smile|laugh)\b|` +
          String.raw`\bi (?:really |do ){0,3}(?:like|enjoy|love) (?:you|talking|this|that|how you|your)\b|` +
          String.raw`\b(?:good|great|nice|lovely|love) (?:one|answer|line|that|it|story|advice|point)\b|` +
          String.raw`\bwell (?:said|put)\b`,
        "i"
      )
    ),
    mostWords: 12
  },
  {
    act: "greeting",
    fits: by(
      new RegExp(
        String.raw`^\W*(?:hi+|hey+a?|hello+|hiya|yo|howdy|sup|ayo|wagwan|wass?up|ey up|what['’]?s good|` +
          String.raw`good (?:morning|evening|afternoon|day)|morning|` +
          String.raw`evening|greetings|hallo|moin|servus|hola|olá|oi+|bom dia|boa tarde|salut|i'm back|im back|` +
          String.raw`(?:nice|pleased|good|great) to (?:meet|see) you)(?![\p{L}])`,
        "iu"
      )
    ),
    mostWords: 4
  },
  { act: "joke", fits: by(/\b(?:jokes?|piada|anedota)\b|\b(?:make me laugh|something funny|be funny)\b/i) },
  {
    act: "story",
    fits: by(
      /\b(?:tell|give|hear|know|got|have|want)\b[^.?!]{0,80}\b(?:story|stories|tale|anecdote)\b|^\W*(?:a )?story\b/i
    )
  },
  {
    act: "advice",
    fits: by(
      new RegExp(
        String.raw`\b(?:advice|advise|tips?)\b|\b(?:any|have you|got) (?:ideas?|suggestions?|recommendations?)\b|` +
          String.raw`(?<!why )\bshould (?:i|we)\b|\bwhat would (?:you|u) do(?:\W{1,9}` +
          String.raw`(?:if you were me|in my place|then))?\W*$|\bhow (?:do|can|should|could) (?:i|we) ` +
          String.raw`(?!know|feel|look|sound|doing)\w+|\bhelp me (?:decide|choose|with|out)\b|` +
          String.raw`\bwhat (?:can|do) i do\b|(?<!\p{L})(?:conselhos?|` +
          String.raw`o que (?:é que )?(?:achas que )?(?:eu )?(?:devo|faço|fazias)|` +
          String.raw`aconselhas(?:-me)? a (?!ver|visitar|comer)|was soll ich|rat(?:schlag)?|qué hago|consejo)(?!\p{L})`,
        "iu"
      )
    )
  },
  {
    act: "more",
    fits: by(
      new RegExp(
        String.raw`^\W*(?:(?:ok|and|please|haha|lol|give me|can i have|do|i want)[\s,]+)*` +
          String.raw`(?:another|one more|more|again|encore)(?: one| please| of those)*\W*$`,
        "i"
      )
    )
  },
  { act: "elaborate", fits: asksOn },
  {
    act: "elaborate",
    fits: by(
      new RegExp(
        String.raw`^\W*(?:(?:but|and|ok|oh|wait|hm+|so|wow)[\s,]+)*(?:why(?: not| is that| so)?|how come|how so|` +
          String.raw`really|what do you mean|what(?: then| happened)?(?: next| then| after that)?|how|go on|continue|` +
          String.raw`then|then what|and|tell me more|say more|more|explain|like what|` +
          String.raw`i don'?t (?:get|understand)(?: it| that)?|(?:describe|explain) (?:it|that|them|this)|` +
          String.raw`tell me (?:more )?about (?:it|that|them|this|him|her)|let me (?:hear|see)(?: it| that)?|who|` +
          String.raw`where|when|which one|(?:(?:that|it|this) )?(?:sounds?|seems?|must be|must have been) (?:\w+ )?` +
          String.raw`(?!good|great|nice|fine|fun|lovely|cool|right|fair|interesting)\w+|seriously|for real|` +
          String.raw`is that true|no way|huh|did (?:it|you|they|he|she)(?: \w+)?)\W*$`,
        "i"
      )
    )
  },
  {
    act: "laughter",
    fits: by(
      new RegExp(
        String.raw`^\W*(?:just kidding|kidding|jk|(?:just )?joking|a?(?:ha){2,}h?|(?:ah){2,}|k{3,}|rs{2,}|` +
          String.raw`(?:ja){2,}|lo+l|lmf?ao+|rofl|(?:he){2,}|😂|🤣|` +
          String.raw`that'?s (?:so )?(?:funny|hilarious))`,
        "iu"
      )
    ),
    mostWords: 6
  },
  {
    act: "agreement",
    fits: by(
      new RegExp(
        String.raw`^\W*(?:yes+|yeah+|yep|yup|ya|sure|of course|absolutely|definitely|exactly|true|right|agreed|` +
          String.raw`i agree|same|me too|totally|indeed|i do|i am|i would|always|ok sure|please|why not|ja|i know|` +
          String.raw`i will|will do|i'?ll try|me (?:neither|either)|neither (?:did|do|am|have|can) i|i'?m not either|` +
          String.raw`i (?:don'?t|didn'?t|haven'?t|can'?t) either|i (?:can imagine|bet|see that)|you'?re right|` +
          String.raw`you are right|good idea|i'?d (?:love|like) (?:to|that)$)\b`,
        "i"
      )
    ),
    mostWords: 5
  },
  {
    act: "disagreement",
    fits: by(
      new RegExp(
        String.raw`^\W*(?:no+(?! (?:party|idea|one|way|money|time|problem))|nah|nope|not really|never|i disagree|` +
          String.raw`wrong|i don'?t(?: think so)?|not at all|nein|i'm not|false)\b`,
        "i"
      )
    ),
    mostWords: 5
  },
  {
    act: "acknowledgement",
    fits: by(
      new RegExp(
        String.raw`^\W{0,12}(?:(?:that|it) )?(?:ok(?:ay)?(?: boss)?|k|hm+|not bad|not much|` +
          String.raw`nothing(?: much| really| special)?|👍|no idea|mm+|i see|cool|nice|interesting|wow|oh|ah|alright|` +
          String.raw`fine|good|great|fair(?: enough)?|got it|makes sense|damn|huh|well|maybe|perhaps|i guess|idk|` +
          String.raw`dunno|i don'?t know|not sure|whatever|so|noted|sounds ` +
          String.raw`(?:good|great|nice|fine|fun|lovely|cool|right|fair|about right)|understood|tá bem|está bem|pois|` +
          String.raw`hmm+|boa)(?:\W{0,12}(?:ok|then|indeed|i see|to know|enough))?\W*$`,
        "i"
      )
    )
  },
  { act: "acknowledgement", fits: by(/^[^\w.]*\.\W*(?:(?:ok|then|indeed|i see|to know|enough)\W*)?$/i) }
]
