/** Asks for the name and the password of a new account, and judges both when they are typed. */
import type { Cli } from '../../cli.ts';
import type { TextQuestion } from '../../process/process-io.ts';

export async function askedUsername(cli: Cli, proposed?: string): Promise<string> {
  const problemOf = await problemOfField(cli, 'username');
  return cli.ask(cli.t('cli.ask.username'), '--username', { proposed, problemOf });
}

export async function askedPassword(cli: Cli, stdin = false): Promise<string> {
  return cli.newPassword(stdin, await problemOfField(cli, 'password'));
}

async function problemOfField(
  { language }: Cli,
  field: 'username' | 'password',
): Promise<NonNullable<TextQuestion['problemOf']>> {
  const [{ NewUser }, { parseDocument }, { asAppError }, { problemText }] = await Promise.all([
    import('../../../api/accounts/user.ts'),
    import('../../../api/local.ts'),
    import('../../../domain/errors/errors.ts'),
    import('../../../locales/text.ts'),
  ]);
  return (answer) => {
    try {
      parseDocument(NewUser.shape[field], answer);
      return undefined;
    } catch (error) {
      return problemText(asAppError(error), language);
    }
  };
}
