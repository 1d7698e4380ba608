import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CopyText } from '../../../components/display/copy.tsx';
import { useBaseUrl } from '../../../lib/base-url.ts';

/** What has to be typed in at the provider. */
export function ProviderFacts({ path }: { readonly path: string }) {
  const { t } = useTranslation();
  const base = useBaseUrl();
  return (
    <Group gap="xl" mb="md">
      <Fact label={t('setting.provider.homepage')} text={base} />
      <Fact label={t('setting.provider.callback')} text={base + path} />
    </Group>
  );
}

export function OidcFacts() {
  return <ProviderFacts path="/oauth/oidc" />;
}

export function GithubFacts() {
  return <ProviderFacts path="/oauth/github" />;
}

export function LinuxdoFacts() {
  return <ProviderFacts path="/oauth/linuxdo" />;
}

function Fact({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div style={{ minWidth: 0, maxWidth: '100%' }}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <CopyText text={text} />
    </div>
  );
}
