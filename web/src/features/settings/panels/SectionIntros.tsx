import { Box, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { usesPlainHttp } from '../../../../../src/domain/oidc-address.ts';
import { CopyText } from '../../../components/display/copy.tsx';
import { Fact } from '../../../components/display/Fact.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { useBaseUrl } from '../../../lib/site/base-url.ts';
import { useSettings } from '../sections/settings-store.ts';

/** The values to enter at the provider. */
function ProviderFacts({ path }: { readonly path: string }) {
  const { t } = useTranslation();
  const base = useBaseUrl();
  return (
    <Group component="dl" gap="xl" m={0} mb="md">
      <Fact name={t('setting.provider.homepage')}>
        <CopyText text={base} />
      </Fact>
      <Fact name={t('setting.provider.callback')}>
        <CopyText text={base + path} />
      </Fact>
    </Group>
  );
}

export function OidcFacts() {
  const { t } = useTranslation();
  const { text } = useSettings();
  return (
    <>
      <ProviderFacts path="/oauth/oidc" />
      {usesPlainHttp((key) => text(key).trim()) && <Warning>{t('setting.oidc.plain')}</Warning>}
    </>
  );
}

export function GithubFacts() {
  return <ProviderFacts path="/oauth/github" />;
}

export function LinuxdoFacts() {
  return <ProviderFacts path="/oauth/linuxdo" />;
}

function Warning({ children }: { readonly children: string }) {
  return (
    <Box mb="md">
      <Notice tone="yellow">{children}</Notice>
    </Box>
  );
}

/** Summarizes the effect of the fields below for a user. */
export function LimitSentence() {
  const { t } = useTranslation();
  const { text } = useSettings();
  const minutes = text('ModelRequestRateLimitDurationMinutes');
  const count = text('ModelRequestRateLimitCount');
  const success = text('ModelRequestRateLimitSuccessCount');
  const isOn = text('ModelRequestRateLimitEnabled') === 'true' && Number(minutes) > 0;
  const kind = Number(count) > 0 ? 'both' : 'success';
  return (
    <Box mb="md">
      <Notice tone="blue">
        {isOn ? t(`setting.limit.${kind}`, { minutes, count, success }) : t('setting.limit.off')}
      </Notice>
    </Box>
  );
}

export function CodeDanger() {
  const { t } = useTranslation();
  return <Warning>{t('setting.head.danger')}</Warning>;
}

/** Payment callbacks cannot reach a loopback address. */
export function PaymentServer() {
  const { t } = useTranslation();
  const { stored } = useSettings();
  const address = stored.get('ServerAddress');
  if (address === undefined || !/^https?:\/\/(localhost|127\.|\[::1\])/i.test(address)) return null;
  return <Warning>{t('setting.payment.localServer')}</Warning>;
}
