import type { Life } from "./Life.ts"

export const english: Life = {
  locale: "en",
  person: "Robin",
  character: "Mara",
  episodes: [
    [
      ["hey, new here. call me Robin", "Hello Robin. Sit wherever you like.", "name"],
      ["I fix pianos for a living. tuning, strings, the lot", "So you listen for what is wrong all day.", "job-pianos"]
    ],
    [
      ["my sister Nadia plays the cello", "A low voice in the family, then.", "nadia-cello"],
      ["she's in the opera orchestra in Leipzig", "Every night the same seat?", "nadia-leipzig"],
      ["third desk, next to a guy who hums", "I would move desks.", "nadia-desk"]
    ],
    [
      ["so I finally got a dog!!", "Finally? How long did you wait?"],
      ["two years. he's a whippet, called him Biscuit", "Thin name for a thin dog.", "biscuit"],
      ["he came from the shelter in Halle", "Then he chose you as much as you him.", "biscuit-halle"]
    ],
    [
      ["Oskar wants to run the Berlin marathon", "Does Oskar run at all?"],
      [
        "since spring, yes. we shared a desk at school, that's how I know him",
        "Old friends are hard to stop.",
        "oskar-school"
      ]
    ],
    [
      ["ugh. the landlord is selling the building", "Yours?"],
      ["yep. we have until march to get out", "That is a short winter.", "eviction"],
      ["Priya is already looking at places, she's my flatmate", "Good that one of you is quick.", "priya-flatmate"]
    ],
    [
      ["mum's knee is getting replaced", "Soon?"],
      ["on the 14th of november, at St George's", "I will think of her that day.", "knee-date"]
    ],
    [
      ["my grandfather Walter made clocks", "And did they run on time?", "walter-clocks"],
      [
        "never. he left me one, it stands in the hall and is nine minutes fast",
        "Then you are always early for him.",
        "clock-fast"
      ]
    ],
    [["I can't eat walnuts btw. my throat closes up", "Noted, and never in a cake.", "walnuts"]],
    [
      ["Helen told me off in front of a customer today", "Who is Helen to do that?"],
      ["my boss. owns the workshop", "She could own her manners too.", "helen-boss"],
      [
        "it was about the invoice for the church, I forgot to send it",
        "And the church can wait, it always has.",
        "church-invoice"
      ]
    ],
    [
      ["Biscuit has a limp since yesterday", "Which leg?"],
      ["back left. the vet says it's a torn claw", "Small thing, big drama.", "biscuit-claw"]
    ],
    [
      ["I'm seeing someone. Marek", "Say it again, slower.", "marek"],
      [
        "he restores old film projectors, we met at the flea market",
        "You two will fill a house with wood and dust.",
        "marek-projectors"
      ]
    ],
    [
      ["we looked at a flat above a bakery", "You would wake up hungry."],
      ["the rent is 940 warm, third floor, no lift", "And the stairs are the price.", "bakery-rent"]
    ],
    [
      ["mum is out of surgery, everything went ok", "Good. Let her be grumpy now."],
      ["she's already complaining about the tea", "Then she is herself.", "mum-tea"]
    ],
    [
      ["Oskar broke his foot. six weeks before the race", "Oh no. Running?"],
      ["no, carrying a fridge down the stairs", "The fridge always wins.", "oskar-foot"]
    ],
    [
      ["we took it! the flat over the bakery", "Then you have bread for life."],
      ["keys on the first of february", "A good day to carry boxes.", "keys-date"],
      ["Priya gets the room with the balcony, we tossed a coin", "Fair is fair.", "priya-balcony"]
    ],
    [
      ["I started swimming. tuesdays before work", "Cold or warm?", "swimming"],
      ["the old baths on Ring Street. smells of 1960", "Chlorine keeps memories.", "baths"]
    ],
    [
      ["Nadia is leaving the orchestra", "That is sudden."],
      ["she got a teaching post in Ghent, starts after easter", "Students, then, instead of humming.", "nadia-ghent"]
    ],
    [
      ["Jun at work is teaching me to solder", "A useful friend.", "jun"],
      ["he used to build synthesizers in Osaka", "Then he knows what a circuit sings.", "jun-osaka"]
    ],
    [
      ["bad news about Marek and me", "Tell me."],
      [
        "it's over. he moved back to Gdansk to look after his father",
        "That is a reason nobody can be angry at.",
        "marek-gdansk"
      ]
    ],
    [
      ["moved in! the first night I dreamt of rolls", "They bake under you, what else."],
      ["my room looks onto the tram depot. it's loud till one", "You will stop hearing it by May.", "tram-depot"]
    ],
    [
      ["we have a neighbour, Mrs Adeyemi. she's 81", "Has she tested you yet?", "adeyemi"],
      ["she brought us pepper soup. I cried, from the pepper", "That was the test.", "pepper-soup"]
    ],
    [
      ["I'm thinking of doing the master's exam", "In what?"],
      ["piano making. two years, evenings, in Ludwigsburg", "Long road, but it is yours.", "master-exam"]
    ],
    [
      ["my niece was born last night!!", "A whole new person!"],
      ["her name is Lotte, 3200 grams", "Welcome, Lotte.", "lotte"],
      ["my brother-in-law Tomas fainted", "There is one in every room.", "tomas-fainted"]
    ],
    [
      ["can't sleep. third night", "What keeps you?"],
      ["the loan. I owe the bank 11,000 for the van", "Money is loudest at night.", "van-loan"]
    ],
    [
      ["Helen is retiring in autumn", "And the workshop?"],
      ["she asked if I want to take it over", "She told you off and then gives you the keys.", "takeover"]
    ],
    [["I told Helen I need until june to decide", "A fair answer.", "june-decision"]],
    [
      ["Biscuit ate a whole pound of butter", "Is he proud?", "butter"],
      ["he's on rice for a week now", "And you on dry bread.", "rice-week"]
    ],
    [
      ["Oskar signed up again, for Vienna this time", "The foot has healed?"],
      ["yes, since february. april 19th is the race", "Then buy him socks.", "vienna-race"]
    ],
    [
      ["the swimming moved to fridays btw", "What was wrong with tuesdays?", "swimming-friday"],
      ["school classes in the pool now", "Small sharks.", "pool-classes"]
    ],
    [
      ["my aunt Vera left me her caravan", "With wheels?"],
      ["it stands on a campsite by the Müritz, hasn't moved in twelve years", "Neither would I.", "caravan"]
    ],
    [
      ["decided! I'm saying yes to Helen", "Then it is done."],
      ["from october the workshop is mine. scared", "Scared is right. Sign slowly.", "october-workshop"]
    ],
    [
      ["Jun will stay with me, he wants fridays off though", "A small price."],
      ["he plays bass in a wedding band", "So that is where the fridays go.", "jun-band"]
    ],
    [
      ["dad called. first time in four years", "What did he want?", "dad-called"],
      ["he's in Porto, runs a hostel there. wants me to visit", "And do you?", "dad-porto"]
    ],
    [["I said no to dad. for now", "No is allowed to be for now.", "dad-no"]],
    [
      ["Priya is moving out", "Did you fight?"],
      ["no, she got a phd place in Uppsala", "North, then, with her balcony.", "priya-uppsala"]
    ],
    [
      [
        "found someone for Priya's room. Elif, she drives trams",
        "At last somebody who can tell the depot to be quiet.",
        "elif"
      ],
      ["she's moving in on the 15th of august", "Summer stairs. Poor Elif.", "elif-date"]
    ],
    [
      ["Oskar made it!! 3:58", "Under four hours!", "oskar-time"],
      ["he cried at kilometre 41 and called his mum", "As one should.", "oskar-cried"]
    ],
    [["mum walked to the lake without a stick", "Then the new knee is hers.", "mum-lake"]],
    [
      ["the vet says Biscuit has a heart murmur", "Is it serious?"],
      ["grade two. pills every morning, in liverwurst", "He will look forward to it.", "murmur"]
    ],
    [
      ["I named the workshop. Nine Minutes", "After the clock in the hall?", "workshop-name"],
      ["yes. walter would have laughed", "And come late to the opening."]
    ],
    [
      ["opening party is on october 3rd", "What will there be?", "party-date"],
      ["soup by Mrs Adeyemi and Jun's band", "Then I know who will cry.", "party-food"]
    ],
    [["I learned to swim butterfly. badly", "Nobody does it well.", "butterfly"]],
    [
      ["Nadia visits at christmas with a student of hers", "Bring them bread."],
      ["the student is called Wouter, he's fourteen and allergic to dogs", "Poor Wouter, poor Biscuit.", "wouter"]
    ],
    [
      ["I sold the van", "For how much?"],
      ["8,500. so only 2,500 left to pay", "You will sleep.", "van-sold"]
    ],
    [
      ["we repaired the pedal of the theatre's grand. took three weeks", "Three weeks for a foot."],
      ["they paid in tickets, so I'm seeing Woyzeck on thursday", "Cheerful evening.", "woyzeck"]
    ],
    [
      ["I went to see dad after all", "How was Porto?"],
      ["we didn't talk much. he taught me to grill sardines", "That was the talk.", "dad-sardines"]
    ],
    [["got my hair cut off, all of it", "Cold ears?", "hair"]],
    [
      ["Elif and I adopted a cat. don't tell Biscuit", "He will find out."],
      ["she's one-eyed, so: Admiral", "Of course.", "admiral"]
    ],
    [
      ["the master's exam is off, by the way", "No time?", "master-off"],
      ["no time, and with the workshop I don't need the paper anymore", "Then hang up something else.", "master-why"]
    ],
    [
      ["Oskar and I had a fight", "About running?"],
      ["about money. I lent him 600 and he bought a bike", "A fast way to spend it.", "oskar-600"]
    ]
  ],
  questions: [
    { kind: "single", text: "what do I do for a living again?", answer: ["job-pianos"] },
    { kind: "single", text: "which instrument is my sister good at?", answer: ["nadia-cello"] },
    { kind: "single", text: "what breed is my dog?", answer: ["biscuit"] },
    { kind: "single", text: "do you still know what I can't eat? with the throat", answer: ["walnuts"] },
    { kind: "single", text: "what did my grandfather do for work?", answer: ["walter-clocks"] },
    { kind: "single", text: "what's wrong with the clock I inherited?", answer: ["clock-fast"] },
    { kind: "single", text: "why was my boss angry with me back then?", answer: ["church-invoice"] },
    { kind: "single", text: "how did Oskar break his foot?", answer: ["oskar-foot"] },
    { kind: "single", text: "what rent did they want for the flat above the bakery?", answer: ["bakery-rent"] },
    { kind: "single", text: "what kind of soup did the neighbour bring?", answer: ["pepper-soup"] },
    { kind: "single", text: "what did Biscuit eat back then, a whole pound of it?", answer: ["butter"] },
    { kind: "single", text: "where's the caravan I inherited parked?", answer: ["caravan"] },
    { kind: "single", text: "which name did I pick for my own business?", answer: ["workshop-name"] },
    { kind: "single", text: "what's the cat's name and why?", answer: ["admiral"] },
    { kind: "single", text: "what's my niece called again?", answer: ["lotte"] },
    { kind: "single", text: "who fainted when the baby came?", answer: ["tomas-fainted"] },
    { kind: "single", text: "what play were the tickets for, from the theatre?", answer: ["woyzeck"] },
    { kind: "single", text: "what medicine does the dog get now, and why?", answer: ["murmur"] },

    {
      kind: "multi-hop",
      text: "which city does the person live in who plays cello in my family?",
      answer: ["nadia-cello", "nadia-ghent"]
    },
    {
      kind: "multi-hop",
      text: "what does the man do who I met at the flea market, and where is he now?",
      answer: ["marek-projectors", "marek-gdansk"]
    },
    {
      kind: "multi-hop",
      text: "who lived in the room with the balcony first, and who has it now?",
      answer: ["priya-balcony", "elif"]
    },
    {
      kind: "multi-hop",
      text: "how much did I borrow for the van and how much is left?",
      answer: ["van-loan", "van-sold"]
    },
    {
      kind: "multi-hop",
      text: "why is the workshop called like that? something my grandfather built",
      answer: ["workshop-name", "clock-fast"]
    },
    {
      kind: "multi-hop",
      text: "who cooks and who plays at the opening, and what do I know about the two of them?",
      answer: ["party-food", "pepper-soup", "jun-band"]
    },
    { kind: "multi-hop", text: "which health problems has Biscuit had so far?", answer: ["biscuit-claw", "murmur"] },
    {
      kind: "multi-hop",
      text: "what's going on with my father, where is he and what did we do there?",
      answer: ["dad-porto", "dad-sardines"]
    },
    {
      kind: "multi-hop",
      text: "which races did Oskar sign up for, and how long did he need in the end?",
      answer: ["vienna-race", "oskar-time"]
    },
    {
      kind: "multi-hop",
      text: "what did I learn from Jun, and what did he build before?",
      answer: ["jun", "jun-osaka"]
    },

    { kind: "temporal", text: "what date was mum's knee surgery?", answer: ["knee-date"] },
    { kind: "temporal", text: "when did we get the keys for the new flat?", answer: ["keys-date"] },
    { kind: "temporal", text: "where did Nadia work before Ghent?", answer: ["nadia-leipzig"] },
    { kind: "temporal", text: "on which weekday do I swim these days?", answer: ["swimming-friday"] },
    { kind: "temporal", text: "which weekday was my swimming at first?", answer: ["swimming"] },
    {
      kind: "temporal",
      text: "until when could we stay in the old building, the one the landlord sold?",
      answer: ["eviction"]
    },
    { kind: "temporal", text: "what was the date of the Vienna marathon?", answer: ["vienna-race"] },
    { kind: "temporal", text: "since when is Elif living here?", answer: ["elif-date"] },
    { kind: "temporal", text: "when do I take over from Helen?", answer: ["october-workshop"] },
    { kind: "temporal", text: "which day is the opening party?", answer: ["party-date"] },
    { kind: "temporal", text: "until which month did I ask Helen to wait for my answer?", answer: ["june-decision"] },
    { kind: "temporal", text: "am I still doing the master's exam?", answer: ["master-off"] },

    {
      kind: "pronoun",
      after: ["I talked to Nadia on the phone for an hour", "An hour is long for you two."],
      text: "where does she live now, do you remember?",
      answer: ["nadia-ghent"]
    },
    {
      kind: "pronoun",
      after: ["Marek sent me a postcard", "After all this time?"],
      text: "where did he go again?",
      answer: ["marek-gdansk"]
    },
    {
      kind: "pronoun",
      after: ["Oskar limps a bit when it rains", "Old bones remember."],
      text: "how did that happen to him?",
      answer: ["oskar-foot"]
    },
    {
      kind: "pronoun",
      after: ["Mrs Adeyemi rang the bell this morning", "With a pot in her hands?"],
      text: "how old is she?",
      answer: ["adeyemi"]
    },
    {
      kind: "pronoun",
      after: ["Biscuit needs his breakfast now", "With the good stuff inside?"],
      text: "what does he take his pills in?",
      answer: ["murmur"]
    },
    {
      kind: "pronoun",
      after: ["Priya wrote from the train", "Is she well?"],
      text: "what is she doing up there?",
      answer: ["priya-uppsala"]
    },
    {
      kind: "pronoun",
      after: ["Jun is late again", "It is friday."],
      text: "what does he do with his evenings off?",
      answer: ["jun-band"]
    },
    {
      kind: "pronoun",
      after: ["Wouter is coming along on the 23rd", "With his cello case."],
      text: "what did I say he can't be near?",
      answer: ["wouter"]
    },
    {
      kind: "pronoun",
      after: ["Elif has the early shift tomorrow", "Then be quiet on the stairs."],
      text: "what's her job again?",
      answer: ["elif"]
    },
    {
      kind: "pronoun",
      after: ["I have to ring Helen back", "About the papers?"],
      text: "what did she offer me?",
      answer: ["takeover"]
    },

    { kind: "neighbour", text: "how long did I have to wait for the dog?", answer: ["biscuit"] },
    { kind: "neighbour", text: "does Nadia have the same seat in the orchestra every night?", answer: ["nadia-desk"] },
    { kind: "neighbour", text: "who is Helen again?", answer: ["helen-boss"] },
    { kind: "neighbour", text: "which leg was it when Biscuit had that limp?", answer: ["biscuit-claw"] },
    { kind: "neighbour", text: "what would the master's exam have been in?", answer: ["master-exam"] },
    { kind: "neighbour", text: "what was it that I couldn't sleep for three nights?", answer: ["van-loan"] },
    { kind: "neighbour", text: "since when has Oskar's foot been healed?", answer: ["vienna-race"] },
    { kind: "neighbour", text: "what was wrong with swimming on tuesdays?", answer: ["pool-classes"] },
    { kind: "neighbour", text: "what happens to the workshop when Helen is retiring?", answer: ["takeover"] },
    { kind: "neighbour", text: "how did we feed Biscuit after the butter?", answer: ["rice-week"] },
    { kind: "neighbour", text: "what did dad want when he called?", answer: ["dad-porto"] },
    { kind: "neighbour", text: "how serious is it with Biscuit's heart?", answer: ["murmur"] },
    { kind: "neighbour", text: "what will there be at the party?", answer: ["party-food"] },
    { kind: "neighbour", text: "for how much did I let the van go?", answer: ["van-sold"] },
    { kind: "neighbour", text: "how was it in Porto?", answer: ["dad-sardines"] },
    { kind: "neighbour", text: "why is the master's exam off?", answer: ["master-why"] },
    { kind: "neighbour", text: "what was my fight with Oskar about?", answer: ["oskar-600"] },

    { kind: "negative", text: "what's my brother's name?", answer: [] },
    { kind: "negative", text: "which school did my mother teach at?", answer: [] },
    { kind: "negative", text: "what colour is my bicycle?", answer: [] },
    { kind: "negative", text: "when is Oskar's wedding?", answer: [] },
    { kind: "negative", text: "what is my favourite film director called?", answer: [] },
    { kind: "negative", text: "how many languages do I speak?", answer: [] },
    { kind: "negative", text: "which hospital was I born in?", answer: [] },
    { kind: "negative", text: "what did Nadia give me for my birthday?", answer: [] },
    { kind: "negative", text: "what's the name of Jun's daughter?", answer: [] },
    { kind: "negative", text: "which football club do I support?", answer: [] }
  ],
  chatter: [
    ["morning. {weather} here", "Then put the kettle on."],
    ["just had {food} for lunch", "And nothing for me."],
    ["a customer brought {thing} today, can you believe it", "People carry anything."],
    ["the tram was {late} late again", "It has its own calendar."],
    ["I'm reading {book}, page {number}", "Do not tell me the end."],
    ["saw a dog that looked like {animal}", "Every dog is something else."],
    ["somebody on {street} plays the cello at night", "Badly?"],
    ["a colleague's sister is moving to {city}", "Everybody is moving."],
    ["they want {number} euros rent for a cellar on {street}", "With or without the mice?"],
    ["I dreamt of {thing}", "And woke up?"],
    ["what do you think about {topic}?", "Less than I should."],
    ["{friend} says hi", "Hi back to {friend}."],
    ["{friend} is ill, flu", "Soup and no visitors."],
    ["{friend}'s mother had her hip done in {month}", "Hips and knees, it never ends."],
    ["the oven is broken, the repair takes {number} days", "Cold bread, then."],
    ["do you like {food}?", "On the right day."],
    ["I walked along {street} for an hour", "And what did you find?"],
    ["{friend} ran ten kilometres and won't stop talking about it", "They never do."],
    ["we played cards till {late}", "Who cheated?"],
    ["tired. {number} pages of tax forms", "The state reads slowly, too."],
    ["there's a new café on {street}", "Is it better than mine?"],
    ["bought {thing} at the flea market", "You did not need it."],
    ["{friend} wants to go to {city} in {month}", "Let {friend} go."],
    ["I forgot {thing} on the tram", "It will have a nice trip."],
    ["the swimming pool was closed because of {weather}", "Wet is wet."],
    ["haha you should have seen {friend} with {thing}", "I can imagine."],
    ["they pay {friend} {number} an hour, madness", "Too much or too little?"],
    ["my back hurts from carrying {thing}", "Put it down, then."],
    ["a cat sat on the workbench all day", "It supervises."],
    ["it smells of {food} in the whole stairwell", "Follow your nose."],
    ["I tuned a piano in {city} today, long drive", "Did it thank you?"],
    ["thinking about a holiday in {city}", "Take me as a stone in your pocket."],
    ["the vet is always full on {day}s", "Animals know the calendar."],
    ["{day} is the worst day of the week", "And yet it comes back."],
    ["my phone says {weather} for {day}", "It says that every week."],
    ["had a fight with the printer", "Who won?"],
    ["the church on {street} has a concert on {day}", "Sit near the door."],
    ["an old man told me about clocks for an hour", "He had the time."],
    ["{friend} got a new flatmate, a disaster", "It starts with the dishes."],
    ["ok I'm off, {topic} is waiting", "Let it wait a little."]
  ],
  blanks: {
    weather: ["rain", "fog", "snow", "wind", "sun, finally", "hail", "grey soup", "thunder"],
    food: ["lentils", "pancakes", "pickled herring", "noodles", "cold pizza", "beetroot", "fried rice", "plum cake"],
    thing: [
      "an accordion",
      "a broken lamp",
      "a box of keys",
      "a harmonium",
      "an umbrella",
      "a stuffed owl",
      "a suitcase",
      "a metronome",
      "a ladder"
    ],
    late: ["two", "ten minutes", "half an hour", "an hour", "three"],
    book: ["a crime novel", "a book about whales", "my old diary", "a cookbook", "some Chekhov", "a history of salt"],
    number: ["12", "40", "7", "300", "95", "18", "560", "3"],
    animal: ["a sheep", "a small bear", "a mop", "a fox", "a wet sock", "a seal"],
    street: ["Ring Street", "Garden Lane", "Mill Road", "Harbour Street", "the square", "Long Row"],
    city: ["Dresden", "Lyon", "Oslo", "Prague", "Erfurt", "Trieste", "Riga", "Antwerp"],
    topic: ["trams", "the election", "space", "sourdough", "the neighbours", "winter", "taxes", "old films"],
    friend: ["Karla", "Ben", "Yusuf", "Ines", "Paul", "Svea", "Dana"],
    month: ["january", "may", "july", "september", "december"],
    day: ["monday", "tuesday", "wednesday", "thursday", "friday", "sunday"]
  }
}
