import { Container } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { publicCalls } from '../../../../src/api/site/public.ts';
import { SiteContent } from '../../components/content/SiteContent.tsx';
import { Empty, Loaded } from '../../components/layout/list-states.tsx';
import { PageHeader } from '../../components/layout/PageHeader.tsx';
import { client } from '../../lib/api/api.ts';

const site = client({
  agreement: publicCalls.userAgreement,
  privacy: publicCalls.privacyPolicy,
});

export function UserAgreementPage() {
  return <LegalPage of="agreement" />;
}

export function PrivacyPolicyPage() {
  return <LegalPage of="privacy" />;
}

/** A text of the operator that people accept by signing up. */
function LegalPage({ of }: { readonly of: keyof typeof site }) {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: ['public', of],
    queryFn: ({ signal }) => site[of]({}, { signal }),
  });
  const title = t(`about.${of}`);
  return (
    <Container size={820} px={0}>
      <PageHeader title={title} />
      <Loaded query={query}>
        {(text) =>
          text.trim() === '' ? (
            <Empty title={t('about.noText')} />
          ) : (
            <SiteContent text={text} title={title} />
          )
        }
      </Loaded>
    </Container>
  );
}
