import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { Form, ProblemNotice } from '../../components/forms/Form.tsx';
import { TitledCard } from '../../components/layout/TitledCard.tsx';
import { toast } from '../../components/layout/toasts.tsx';
import { useSubmit } from '../../hooks/useSubmit.ts';
import { selfQuery } from '../../lib/api/account.ts';
import { selfKeys, walletKeys } from '../../lib/api/query-keys.ts';
import { field, useUrlState } from '../../lib/browser/url-state.ts';
import { useUser } from '../../lib/session/session.ts';
import { useStatus } from '../../lib/site/status.ts';
import { type Credit, CreditedDialog } from './CreditedDialog.tsx';
import { wallet } from './calls.ts';

const FIELDS = { code: field.text() };

/** Redeems a code. One from the URL is locked until the user chooses to change it. */
export function RedeemCard() {
  const { t } = useTranslation();
  const { state, set } = useUrlState(FIELDS);
  const [credited, setCredited] = useState<Credit | undefined>(undefined);
  const add = useAddedBalance();
  const isLocked = state.code !== '';
  const form = useForm({
    initialValues: { key: state.code },
    validate: { key: (key) => (key.trim() === '' ? t('wallet.redeem.needed') : null) },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new code in the URL fills the form
  useEffect(() => {
    if (state.code !== '') form.setValues({ key: state.code });
  }, [state.code]);
  const submission = useSubmit(
    form,
    async ({ key }) => {
      const { quota, is_gift } = await wallet.redeem({ key: key.trim() });
      await add(quota);
      setCredited({ quota, by: is_gift ? 'gift' : 'code' });
      form.setInitialValues({ key: '' });
      form.setValues({ key: '' });
      set({ code: '' }, { replace: true });
    },
    { onInvalid: () => toast.error(t('wallet.redeem.needed')) },
  );
  return (
    <TitledCard title={t('wallet.redeem.title')}>
      <Form onSubmit={submission.submit}>
        <Stack gap="sm">
          <ProblemNotice problem={submission.problem} />
          <TextInput
            {...form.getInputProps('key')}
            label={t('wallet.redeem.code')}
            placeholder={t('wallet.redeem.placeholder')}
            readOnly={isLocked}
            autoComplete="off"
            spellCheck={false}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            description={
              isLocked && (
                <>
                  {t('wallet.redeem.locked')}{' '}
                  <Anchor
                    component="button"
                    type="button"
                    inherit
                    underline="always"
                    onClick={() => set({ code: '' })}
                  >
                    {t('wallet.redeem.change')}
                  </Anchor>
                </>
              )
            }
          />
          <Button type="submit" fullWidth loading={submission.isBusy}>
            {t('wallet.redeem.submit')}
          </Button>
          <BuyLink />
        </Stack>
      </Form>
      <CreditedDialog credited={credited} onClose={() => setCredited(undefined)} />
    </TitledCard>
  );
}

function BuyLink() {
  const { t } = useTranslation();
  const link = useStatus()?.top_up_link ?? '';
  if (!/^https?:\/\//i.test(link)) return <Dimmed>{t('wallet.redeem.noLink')}</Dimmed>;
  return (
    <Dimmed>
      {t('wallet.redeem.none')}{' '}
      <Anchor href={link} target="_blank" rel="noopener noreferrer" inherit underline="always">
        {t('wallet.redeem.buy')}
      </Anchor>
    </Dimmed>
  );
}

/** Adds the amount from the response to the balance before it is refetched. */
function useAddedBalance() {
  const cache = useQueryClient();
  const { queryKey } = selfQuery(useUser()?.id ?? 0);
  return async (units: number) => {
    cache.setQueryData(queryKey, (self) => self && { ...self, quota: self.quota + units });
    const stale = [selfKeys, walletKeys].map(({ all }) =>
      cache.invalidateQueries({ queryKey: all }),
    );
    await Promise.allSettled(stale);
  };
}
