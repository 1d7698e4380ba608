import { Anchor, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { useStatus } from '../../lib/site/status.ts';

/** Links to the texts of the operator that registering accepts; in a new tab, to keep the form. */
export function AcceptedTexts() {
  const { t } = useTranslation();
  const status = useStatus();
  const texts = [
    ...(status?.user_agreement_enabled
      ? [{ to: '/user-agreement', text: t('signIn.register.agreement') }]
      : []),
    ...(status?.privacy_policy_enabled
      ? [{ to: '/privacy-policy', text: t('signIn.register.privacy') }]
      : []),
  ];
  if (texts.length === 0) return null;
  return (
    <Group justify="center">
      <Dimmed>{t('signIn.register.accept')}</Dimmed>
      {texts.map(({ to, text }) => (
        <Anchor key={to} href={to} target="_blank" size="xs">
          {text}
        </Anchor>
      ))}
    </Group>
  );
}
