import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { publicCalls } from '../../../../src/api/site/public.ts';
import { SiteContent } from '../../components/content/SiteContent.tsx';
import { siteNoticeQuery, useSiteNotice } from '../../components/content/site-notice.ts';
import { usePageTitle } from '../../components/layout/PageHeader.tsx';
import { client } from '../../lib/api/api.ts';
import { RARELY_CHANGED_STALE_MS } from '../../lib/api/query-client.ts';
import { PAGE_FIELDS } from '../../lib/browser/page-links.ts';
import { useUrlState } from '../../lib/browser/url-state.ts';
import { useStatus } from '../../lib/site/status.ts';
import { Welcome } from './Welcome.tsx';

const site = client({ homePage: publicCalls.homePage });

/** The home page: the operator's own content if set, else a welcome page. */
export function HomePage() {
  const { t } = useTranslation();
  const name = useStatus()?.system_name || t('product.name');
  usePageTitle(name);
  // If the content cannot be loaded, the welcome page is shown.
  const { data: content = '', isPending } = useQuery({
    queryKey: ['public', 'home'],
    queryFn: ({ signal }) => site.homePage({}, { signal }),
    staleTime: RARELY_CHANGED_STALE_MS,
  });
  return (
    <>
      {content.trim() === '' ? (
        <Welcome isWaiting={isPending} name={name} />
      ) : (
        <SiteContent text={content} title={name} />
      )}
      <NoticeDialog />
    </>
  );
}

/** Opens automatically once per text, and from `/?notice=true`. */
function NoticeDialog() {
  const { t } = useTranslation();
  const { state, set } = useUrlState(PAGE_FIELDS['/']);
  const { data: text = '' } = useQuery(siteNoticeQuery);
  const { isNew, markRead } = useSiteNotice(text);
  const close = () => {
    markRead();
    if (state.notice) set({ notice: false }, { replace: true });
  };
  return (
    <Modal
      opened={text.trim() !== '' && (isNew || state.notice)}
      onClose={close}
      title={t('home.notice')}
      size="lg"
    >
      <SiteContent text={text} title={t('home.notice')} />
    </Modal>
  );
}
