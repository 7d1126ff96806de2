-- A job is charged at the rate it was estimated at. Until now there were these two.
alter table jobs add column hourly_rate_usd text not null default '2.00';
update jobs set hourly_rate_usd = '5.00' where requested_gpu_sku = 'rtx6000_blackwell_96gb';
