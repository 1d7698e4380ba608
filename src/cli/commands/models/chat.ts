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
      async run(cli, { prompt, model = 'gpt-4o-mini', stream = true, temperature, ...flags }) {
        const { chat } = await import('./chat-call.ts');
        await chat(cli, {
          prompt,
          model,
          system: flags.system,
          temperature: cli.values.decimal('--temperature', temperature),
          isStream: stream,
          group: flags.group,
          user: flags.user,
        });
      },
    }),
  ],
};
