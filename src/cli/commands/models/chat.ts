/** `gateway chat`: sends a prompt to a model. */
import { command, type Noun } from '../../command.ts';

export const chat: Noun = {
  name: 'chat',
  verbs: [
    command({
      usage: 'chat <prompt>',
      flags: [
        '--model <model>',
        '--system <text>',
        '--temperature <number>',
        '--no-stream',
        '--group <name>',
        '--user <user>',
      ],
      examples: [
        'chat "Hello"',
        'chat - --model gpt-4o --system "Answer in one word" < question.txt',
        'chat "Hello" --no-stream --json',
      ],
      async run(cli, { model = 'gpt-4o-mini', stream: isStream = true, ...flags }) {
        const { chat } = await import('./chat-call.ts');
        const temperature = cli.values.decimal('--temperature', flags.temperature);
        await chat(cli, { ...flags, model, temperature, isStream });
      },
    }),
  ],
};
