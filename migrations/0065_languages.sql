-- compatible with 0045
-- The language of Telegram of the person who wrote last in the chat.
alter table telegram_chats add column language_code text;

-- The menus of commands that the bot has in Telegram: a hash by language. '' is the menu of everybody else.
alter table telegram_bots add column command_menus jsonb not null default '{}';
