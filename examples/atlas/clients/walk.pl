# Asks the atlas by OpenAPI::Client, which makes its methods from the document when it starts.
use strict;
use warnings;
use Mojo::URL;
use OpenAPI::Client;

my $url   = Mojo::URL->new($ENV{ATLAS_URL} // 'http://127.0.0.1:3000/api');
my $atlas = OpenAPI::Client->new("$url/openapi.json", base_url => $url);
$atlas->ua->on(start => sub {
  my ($ua, $tx) = @_;
  $tx->req->headers->authorization("Bearer $ENV{ATLAS_ADMIN_TOKEN}");
});

# Lists in a query have commas between their values. The client repeats the parameter for an array, so they are texts.
my $page = $atlas->citiesList({page_size => 2, ordering => 'country__name,-name'})->res->json;
print 'list: ', scalar(@{$page->{data}}), " of $page->{count}\n";

my $city = $atlas->citiesList({name => 'Oslo', country__code__in => 'NO,NA'})->res->json->{data}[0];
print "filter: $city->{name} in $city->{country}{name}, ", $city->{region} ? $city->{region}{name} : 'in no region', "\n";

my $visit = $atlas->visitsCreate({}, json => {city => $city->{id}, rating => 5, visited_on => '2026-01-15'})->res->json->{data};
print "create: $visit->{city}{name}, $visit->{rating}\n";

my $patched = $atlas->visitsPartialUpdate({id => $visit->{id}}, json => {note => 'Again!'})->res->json->{data};
print "patch: $patched->{note}\n";

print 'destroy: ', $atlas->visitsDestroy({id => $visit->{id}})->res->code, "\n";

my $gone = $atlas->visitsRetrieve({id => $visit->{id}})->res;
print 'retrieve: ', $gone->code, ' ', $gone->json->{message}, "\n";

my $nowhere = {city => '00000000-0000-4000-8000-000000000000', rating => 5, visited_on => '2026-01-15'};
my $error   = $atlas->visitsCreate({}, json => $nowhere)->res->json;
print "error: $error->{message} city: @{$error->{errors}{city}}\n";

my $file = $atlas->citiesExport({name => 'Oslo'}, json => {file_type => 'csv', includes => ['name', 'country__code']})->res;
print 'export: ', join(' / ', split /\r\n/, $file->body), "\n";

# What does not fit the document is refused before it is sent, with the place in the document's terms.
for my $refused ($atlas->citiesList({ordering => 'nme'}), $atlas->visitsCreate({}, json => {rating => 5})) {
  print 'refused: ', join(', ', map {$_->{path}} @{$refused->res->json->{errors}}), "\n";
}
