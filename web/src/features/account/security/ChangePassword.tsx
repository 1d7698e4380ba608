import { Button, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Form, ProblemNotice } from '../../../components/forms/Form.tsx';
import { PasswordRules, SHORTEST_PASSWORD } from '../../../components/identity/PasswordRules.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useSubmit } from '../../../hooks/useSubmit.ts';
import { account, selfKeys } from '../calls.ts';
import { Section } from './SecuritySection.tsx';

const BLANK = { password: '', again: '' };

/** The app's own dialog asks for the current password if the session is not recent enough. */
export function ChangePassword() {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: BLANK,
    validate: {
      password: (typed) => (typed.length < SHORTEST_PASSWORD ? t('account.password.short') : null),
      again: (typed, { password }) => (typed === password ? null : t('account.password.differ')),
    },
  });
  const change = useAction(({ password }: typeof BLANK) => account.editSelf({ password }), {
    touches: [selfKeys],
    done: () => t('account.password.done'),
    onDone: () => form.reset(),
    isQuiet: true,
  });
  const submission = useSubmit(form, change.mutateAsync);
  const { password, again } = form.getValues();
  return (
    <Section title={t('account.password.title')} hint={t('account.password.hint')}>
      <Form onSubmit={submission.submit}>
        <Stack gap="sm" maw={360}>
          <ProblemNotice problem={submission.problem} />
          <Secret name="password" {...form.getInputProps('password')} />
          <Secret name="again" {...form.getInputProps('again')} />
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

function Secret({ name, ...input }: { readonly name: keyof typeof BLANK }) {
  const { t } = useTranslation();
  return (
    <PasswordInput
      {...input}
      label={t(`account.password.${name}`)}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': t('part.password.reveal') }}
    />
  );
}
