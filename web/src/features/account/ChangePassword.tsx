import { Button, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../lib/api.ts';
import { Form, ProblemNotice } from '../../parts/Form.tsx';
import { PasswordRules, SHORTEST_PASSWORD } from '../../parts/PasswordRules.tsx';
import { useAction } from '../../parts/useAction.ts';
import { useSubmit } from '../../parts/useSubmit.ts';
import { account, selfKeys } from './calls.ts';
import { Section } from './Section.tsx';

const BLANK = { original_password: '', password: '', again: '' };

/** An account that only signed in elsewhere so far has no old password to ask for. */
export function ChangePassword({ hasPassword }: { readonly hasPassword: boolean }) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: BLANK,
    validate: {
      original_password: (typed) =>
        hasPassword && typed === '' ? t('account.password.oldNeeded') : null,
      password: (typed) => (typed.length < SHORTEST_PASSWORD ? t('account.password.short') : null),
      again: (typed, { password }) => (typed === password ? null : t('account.password.differ')),
    },
  });
  const change = useAction(
    ({ original_password, password }: typeof BLANK) =>
      account.editSelf({ password, ...(hasPassword && { original_password }) }),
    {
      touches: [selfKeys],
      done: () => t('account.password.done'),
      onDone: () => form.reset(),
      isQuiet: true,
    },
  );
  const submission = useSubmit(form, async (values) => {
    try {
      await change.mutateAsync(values);
    } catch (error) {
      if (!isWrongPassword(error)) throw error;
      form.setFieldError('original_password', t('account.password.wrong'));
      throw new DOMException('shown at its field', 'AbortError');
    }
  });
  const { password, again } = form.getValues();
  return (
    <Section title={t('account.password.title')} hint={t('account.password.hint')}>
      <Form onSubmit={submission.submit}>
        <Stack gap="sm" maw={360}>
          <ProblemNotice problem={submission.problem} />
          {hasPassword && (
            <Secret
              name="original_password"
              autoComplete="current-password"
              {...form.getInputProps('original_password')}
            />
          )}
          <Secret name="password" autoComplete="new-password" {...form.getInputProps('password')} />
          <Secret name="again" autoComplete="new-password" {...form.getInputProps('again')} />
          <PasswordRules password={password} again={again} />
          <div>
            <Button type="submit" loading={submission.isBusy}>
              {t('account.password.change')}
            </Button>
          </div>
        </Stack>
      </Form>
    </Section>
  );
}

function isWrongPassword(error: unknown): boolean {
  return error instanceof ApiError && error.param === 'original_password';
}

interface SecretProps {
  readonly name: keyof typeof BLANK;
  readonly autoComplete: string;
}

function Secret({ name, ...input }: SecretProps) {
  const { t } = useTranslation();
  return (
    <PasswordInput
      {...input}
      label={t(`account.password.${name}`)}
      visibilityToggleButtonProps={{ 'aria-label': t('part.password.reveal') }}
    />
  );
}
