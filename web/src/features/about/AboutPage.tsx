import { Anchor, Card, Container, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { publicCalls } from '../../../../src/api/site/public.ts';
import { SiteContent } from '../../components/content/SiteContent.tsx';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { Loaded } from '../../components/layout/list-states.tsx';
import { PageHeader } from '../../components/layout/PageHeader.tsx';
import { client } from '../../lib/api/api.ts';
import { linkTo } from '../../lib/browser/page-links.ts';
import { useIsAdmin } from '../../lib/session/session.ts';
import { useStatus } from '../../lib/site/status.ts';

const site = client({ about: publicCalls.about });

/** The operator's about page; by default, the product's own. */
export function AboutPage() {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: ['public', 'about'],
    queryFn: ({ signal }) => site.about({}, { signal }),
  });
  return (
    <Container size={820} px={0}>
      <PageHeader title={t('common.about')} />
      <Loaded query={query}>
        {(text) =>
          text.trim() === '' ? <Product /> : <SiteContent text={text} title={t('common.about')} />
        }
      </Loaded>
    </Container>
  );
}

const PRODUCT_SITE = 'https://www.npmjs.com/package/ai-model-gateway';

function Product() {
  const { t } = useTranslation();
  const version = useStatus()?.version;
  const isAdmin = useIsAdmin();
  return (
    <Card padding="lg">
      <Stack gap="sm">
        <Text size="md">{t('about.product')}</Text>
        <Dimmed size="sm">
          {version === undefined ? t('about.licence') : t('about.version', { version })}
        </Dimmed>
        <Text>
          <Anchor href={PRODUCT_SITE} target="_blank" rel="noopener noreferrer" inherit>
            {t('about.project')}
          </Anchor>
        </Text>
        {isAdmin && (
          <Text>
            <Anchor component={Link} to={linkTo('/admin/settings', { tab: 'other' })} inherit>
              {t('about.write')}
            </Anchor>
          </Text>
        )}
      </Stack>
    </Card>
  );
}
